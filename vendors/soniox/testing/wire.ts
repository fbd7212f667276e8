import assert from 'node:assert/strict'
import { SoundAtVendor } from '@switchroom/kit/testing/rates-conformance'
import type { HttpAnswer, Seen, SocketAnswer, Wire } from '@switchroom/kit/testing/wire-fake'

const token = (text: string, start_ms: number, end_ms: number, speaker: string, is_final = true) => ({
  text,
  start_ms,
  end_ms,
  confidence: 0.9,
  is_final,
  speaker,
  language: 'pt',
})

const mark = (text: string) => ({ text, confidence: 1, is_final: true })
const spoken = [
  token('Bom', 0, 200, '2'),
  token(' di', 240, 300, '2'),
  token('a.', 300, 480, '2'),
  token(' Olá', 900, 1_080, '1'),
]
const progress = { final_audio_proc_ms: 1_080, total_audio_proc_ms: 1_200 }
const createdAt = '2026-01-01T00:00:00Z'
/** How soon after another one a finalize may come. */
const finalizeMs = 2_000

interface Configuration {
  api_key?: string
  model?: string
  audio_format?: string
  sample_rate?: number
  num_channels?: number
}

function configure(sound: SoundAtVendor, frame: string, { authorization }: Seen['headers']) {
  const asked = JSON.parse(frame) as Configuration
  assert.ok(authorization?.startsWith('Bearer ') || asked.api_key, 'a key comes with it')
  assert.match(asked.model ?? '', /^stt-rt-v[45]$/, 'the model listens live')
  assert.deepEqual([asked.audio_format, asked.num_channels], ['pcm_s16le', 1])
  sound.rate = asked.sample_rate ?? 0
}

/** Guesses at the first audio, is sure when asked to finalize, and says no more than that at the end. */
function converse(sound: SoundAtVendor, socket: SocketAnswer, { url, headers }: Seen) {
  assert.equal(url.pathname, '/transcribe-websocket')
  let isConfigured = false
  let isHeard = false
  let finalizedAt = -Infinity
  const refuse = (error_code: number, error_message: string) => {
    socket.send({ tokens: [], error_code, error_message })
    socket.close(1000)
  }
  socket.onFrame((frame) => {
    if (!isConfigured) {
      isConfigured = true
      return configure(sound, String(frame), headers)
    }
    if (Buffer.isBuffer(frame)) {
      sound.add(frame)
      if (!isHeard) socket.send({ tokens: [token('Bom', 0, 190, '2', false)], ...progress })
      isHeard = true
      return undefined
    }
    if (frame === '') {
      if (!isHeard) return refuse(400, 'No audio received.')
      socket.send({ tokens: [], ...progress, finished: true })
      return socket.close(1000)
    }
    const { type } = JSON.parse(frame) as { type: string }
    if (type === 'keepalive') return undefined
    assert.equal(type, 'finalize')
    if (performance.now() - finalizedAt < finalizeMs) return refuse(400, 'Too many finalize requests.')
    finalizedAt = performance.now()
    return socket.send({ tokens: [...spoken, mark('<fin>')], ...progress })
  })
}

/** Soniox, live and for recordings; what it hears live is kept in `sound`. */
export function sonioxWire(sound = new SoundAtVendor()): Wire {
  let looks = 0
  let job: object = {}

  function transcribe({ body }: Seen, answer: HttpAnswer) {
    const asked = JSON.parse(body.toString()) as { model: string; file_id: string }
    assert.match(asked.model, /^stt-async-v[45]$/, 'the model takes recordings')
    assert.equal(asked.file_id, 'a-file')
    looks = 0
    job = { id: 'a-job', created_at: createdAt, filename: 'audio.wav', ...asked }
    return answer.json({ ...job, status: 'queued' })
  }

  function look(answer: HttpAnswer) {
    looks += 1
    const status = looks > 1 ? 'completed' : 'processing'
    return answer.json({ ...job, status, audio_duration_ms: 1_200, error_type: null, error_message: null })
  }

  return {
    refusal: (message) => ({
      status_code: 400,
      error_type: 'invalid_request',
      message,
      validation_errors: [],
      request_id: 'a-request',
    }),
    socketRefusal(socket, words) {
      socket.send({ tokens: [], error_code: 401, error_message: words })
      socket.close(1000)
    },
    socket: (socket, seen) => converse(sound, socket, seen),
    http(seen, answer) {
      assert.match(seen.headers.authorization ?? '', /^Bearer ./)
      const at = `${seen.method} ${seen.url.pathname}`
      if (at === 'POST /v1/files') {
        assert.match(seen.body.toString('latin1'), /name="file"; filename="[^"]+"/)
        return answer.json({ id: 'a-file', filename: 'audio.wav', size: 3_244, created_at: createdAt })
      }
      if (at === 'POST /v1/transcriptions') return transcribe(seen, answer)
      if (seen.method === 'DELETE') {
        answer.start({})
        return answer.end()
      }
      if (at === 'GET /v1/transcriptions/a-job/transcript')
        return answer.json({ id: 'a-job', text: 'Bom dia. Olá', tokens: spoken })
      assert.equal(at, 'GET /v1/transcriptions/a-job')
      return look(answer)
    },
  }
}

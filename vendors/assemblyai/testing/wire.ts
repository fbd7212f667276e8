import assert from 'node:assert/strict'
import { SoundAtVendor } from '@switchroom/kit/testing/rates-conformance'
import type { HttpAnswer, Seen, SocketAnswer, Wire } from '@switchroom/kit/testing/wire-fake'

const liveModels = new Set([
  'universal-streaming-english',
  'universal-streaming-multilingual',
  'u3-rt-pro',
  'u3-pro',
  'whisper-rt',
  'universal-3-5-pro',
  'universal-3-6',
  'universal-3-6-pro',
])
const recordedModels = new Set(['universal-3-5-pro', 'universal-3-pro', 'universal-2'])
const [leastPieceMs, mostPieceMs] = [50, 1_000]
const bytesPerSample = 2

const word = (text: string, start: number, end: number, speaker?: string) => ({
  text,
  start,
  end,
  confidence: 0.9,
  word_is_final: true,
  ...(speaker && { speaker }),
})

const turn = (order: number, words: object[], transcript: string, isOver: boolean) => ({
  type: 'Turn',
  turn_order: order,
  turn_is_formatted: false,
  end_of_turn: isOver,
  transcript,
  end_of_turn_confidence: isOver ? 0.9 : 0.1,
  words,
})

/** Says a word for every turn's first audio, and ends the turn when asked or when all is over. */
function converse(sound: SoundAtVendor, socket: SocketAnswer, { url }: Seen) {
  const asked = url.searchParams
  assert.equal(url.pathname, '/v3/ws')
  assert.ok(liveModels.has(asked.get('speech_model') ?? ''), `speech_model is ${asked.get('speech_model')}`)
  assert.equal(asked.get('encoding'), 'pcm_s16le')
  sound.rate = Number(asked.get('sample_rate'))
  const detected =
    asked.get('language_detection') === 'true' ? { language_code: 'es', language_confidence: 0.9 } : {}
  let order = 0
  let open: object[] | undefined
  const endTurn = () => {
    if (open) socket.send({ ...turn(order, open, 'hola', true), ...detected })
    order += open ? 1 : 0
    open = undefined
  }
  socket.send({ type: 'Begin', id: 'a-session', expires_at: 1_759_796_682 })
  socket.onFrame((frame) => {
    if (Buffer.isBuffer(frame)) {
      const lengthMs = (frame.length / bytesPerSample / sound.rate) * 1_000
      assert.ok(lengthMs >= leastPieceMs && lengthMs <= mostPieceMs, `${lengthMs} ms are 50 ms to 1 s`)
      sound.add(frame)
      if (open) return
      open = [word('hola', 1_000 * order, 1_000 * order + 400)]
      return socket.send(turn(order, open, '', false))
    }
    const { type } = JSON.parse(frame) as { type: string }
    if (type === 'KeepAlive') return undefined
    if (type === 'ForceEndpoint') return endTurn()
    assert.equal(type, 'Terminate')
    endTurn()
    socket.send({ type: 'Termination', audio_duration_seconds: 1, session_duration_seconds: 1 })
    return socket.close(1000)
  })
}

const transcript = {
  id: 'a-transcript',
  status: 'completed',
  text: 'Hello there. Hi.',
  language_code: 'en_us',
  audio_duration: 2,
  words: [word('Hello', 0, 400, 'B'), word('there.', 400, 900, 'B'), word('Hi.', 1_200, 1_500, 'A')],
  utterances: [
    { ...word('Hello there.', 0, 900, 'B'), words: [] },
    { ...word('Hi.', 1_200, 1_500, 'A'), words: [] },
  ],
}

/** AssemblyAI, live and for recordings; what it hears live is kept in `sound`. */
export function assemblyAiWire(sound = new SoundAtVendor()): Wire {
  let looks = 0

  function begin({ body }: Seen, answer: HttpAnswer) {
    const asked = JSON.parse(body.toString()) as { audio_url: string; speech_models: string[] }
    assert.equal(asked.audio_url, 'https://cdn.assemblyai.com/upload/a-file')
    for (const model of asked.speech_models) assert.ok(recordedModels.has(model), `${model} takes recordings`)
    looks = 0
    return answer.json({ ...transcript, status: 'queued', text: null, words: null, utterances: null })
  }

  return {
    refusal: (words) => ({ error: words }),
    socketRefusal(socket, words) {
      socket.send({ type: 'Error', error_code: 1008, error: words })
      socket.close(1008, 'See Error message for details')
    },
    socket(socket, seen) {
      assert.ok(seen.headers.authorization)
      converse(sound, socket, seen)
    },
    http(seen, answer) {
      assert.ok(seen.headers.authorization)
      const at = `${seen.method} ${seen.url.pathname}`
      if (at === 'POST /v2/upload') {
        assert.ok(seen.body.length > 0)
        return answer.json({ upload_url: 'https://cdn.assemblyai.com/upload/a-file' })
      }
      if (at === 'POST /v2/transcript') return begin(seen, answer)
      assert.equal(at, 'GET /v2/transcript/a-transcript')
      looks += 1
      return answer.json(looks > 1 ? transcript : { id: 'a-transcript', status: 'processing' })
    },
  }
}

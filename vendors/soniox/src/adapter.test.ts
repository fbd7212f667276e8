import assert from 'node:assert/strict'
import { join } from 'node:path'
import { conformance, listening, transcribing } from '@switchroom/kit/testing/conformance'
import type { Seen, SocketAnswer, Wire } from '@switchroom/kit/testing/wire-fake'
import { wavOf } from '@switchroom/audio/wav'

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

/** Guesses at the first audio, is sure when asked to finalize, and says no more than that at the end. */
function converse(socket: SocketAnswer, { url, headers }: Seen) {
  assert.equal(url.pathname, '/transcribe-websocket')
  assert.match(headers.authorization ?? '', /^Bearer mark-of-api_key/)
  let isConfigured = false
  let hasGuessed = false
  socket.onFrame((frame) => {
    if (!isConfigured) {
      isConfigured = true
      const { api_key: key, ...asked } = JSON.parse(String(frame)) as Record<string, unknown>
      assert.match(String(key), /^mark-of-api_key/)
      return assert.deepEqual(asked, {
        model: 'stt-rt-preview',
        audio_format: 'pcm_s16le',
        sample_rate: 16_000,
        num_channels: 1,
        language_hints: ['pt'],
        context: { terms: ['Switchroom'] },
        enable_speaker_diarization: true,
        enable_language_identification: true,
        enable_endpoint_detection: true,
      })
    }
    if (Buffer.isBuffer(frame)) {
      if (!hasGuessed) socket.send({ tokens: [token('Bom', 0, 190, '2', false)], ...progress })
      hasGuessed = true
    } else if (frame === '') {
      socket.send({ tokens: [], ...progress, finished: true })
      socket.close(1000)
    } else {
      assert.deepEqual(JSON.parse(frame), { type: 'finalize' })
      socket.send({ tokens: [...spoken, mark('<fin>')], ...progress })
    }
  })
}

let looks = 0

const wire: Wire = {
  refusal: (message) => ({
    status_code: 400,
    error_type: 'invalid_request',
    message,
    request_id: 'a-request',
  }),
  socketRefusal(socket, words) {
    socket.send({ error_code: 401, error_message: words })
    socket.close(1000)
  },
  socket: converse,
  http({ method, url, headers, body }, answer) {
    assert.match(headers.authorization ?? '', /^Bearer mark-of-api_key/)
    const at = `${method} ${url.pathname}`
    if (at === 'POST /v1/files') {
      assert.match(body.toString('latin1'), /name="file"; filename="audio.wav"/)
      return answer.json({ id: 'a-file', filename: 'audio.wav', size: body.length })
    }
    if (at === 'POST /v1/transcriptions') {
      looks = 0
      assert.deepEqual(JSON.parse(body.toString()), {
        model: 'stt-async-preview',
        file_id: 'a-file',
        enable_speaker_diarization: true,
        enable_language_identification: true,
      })
      return answer.json({ id: 'a-job', status: 'queued' })
    }
    if (method === 'DELETE') {
      answer.start({})
      return answer.end()
    }
    if (at === 'GET /v1/transcriptions/a-job/transcript')
      return answer.json({ id: 'a-job', text: 'Bom dia. Olá', tokens: spoken })
    assert.equal(at, 'GET /v1/transcriptions/a-job')
    looks += 1
    const status = looks > 1 ? 'completed' : 'processing'
    return answer.json({ id: 'a-job', status, audio_duration_ms: 1_200, error_message: null })
  },
}

const words = [
  { word: 'Bom', start: 0, end: 0.2, speaker: 0 },
  { word: 'dia.', start: 0.24, end: 0.48, speaker: 0 },
  { word: 'Olá', start: 0.9, end: 1.08, speaker: 1 },
]

conformance(join(import.meta.dirname, '..'), wire, [
  listening('hears live', [new Uint8Array(640), new Uint8Array(640), 'finalize'], {
    choice: { knobs: { language: 'pt-BR', heard: ['Switchroom'], diarize: true } },
    expect(heard) {
      const final = { type: 'final', language: 'pt' }
      assert.deepEqual(heard, [
        { type: 'ready' },
        { type: 'partial', text: 'Bom' },
        { ...final, text: 'Bom dia.', start: 0, end: 0.48, speaker: 0, words: words.slice(0, 2) },
        { ...final, text: 'Olá', start: 0.9, end: 1.08, speaker: 1, words: words.slice(2) },
      ])
    },
  }),
  transcribing(
    'hears a recording',
    { bytes: wavOf(new Uint8Array(3_200), 16_000), mediaType: 'audio/wav' },
    {
      choice: { model: 'stt-async-preview', knobs: { diarize: true } },
      expect(transcript) {
        assert.deepEqual(transcript, {
          text: 'Bom dia. Olá',
          language: 'pt',
          duration: 1.2,
          words,
          segments: [
            { start: 0, end: 0.48, text: 'Bom dia.', speaker: 0 },
            { start: 0.9, end: 1.08, text: 'Olá', speaker: 1 },
          ],
        })
      },
    },
  ),
])

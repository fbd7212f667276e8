import assert from 'node:assert/strict'
import { join } from 'node:path'
import { conformance, listening, transcribing } from '@switchroom/kit/testing/conformance'
import type { Seen, SocketAnswer, Wire } from '@switchroom/kit/testing/wire-fake'
import { wavOf } from '@switchroom/audio/wav'

const said = (start: number, text: string, speaker?: number) => {
  const [first = '', second = ''] = text.split(' ')
  return {
    start,
    end: start + 0.8,
    confidence: 0.9,
    channel: 0,
    text,
    language: 'fr',
    words: [
      { word: ` ${first}`, start, end: start + 0.3, confidence: 0.9 },
      { word: ` ${second}`, start: start + 0.4, end: start + 0.8, confidence: 0.9 },
    ],
    ...(speaker !== undefined && { speaker }),
  }
}

const event = (type: string, more: object = {}) => ({
  type,
  session_id: 'a-session',
  created_at: '2026-01-01T00:00:00.000Z',
  ...more,
})

const transcript = (is_final: boolean) =>
  event('transcript', { data: { id: '00_00000001', is_final, utterance: said(0, 'Bonjour monde') } })

/** Guesses at the first audio and is sure once the recording is over. */
function converse(socket: SocketAnswer, { url, headers }: Seen) {
  assert.equal(url.href, 'http://fake/v2/live?token=a-token')
  assert.equal(headers['x-gladia-key'], undefined)
  let hasGuessed = false
  socket.onFrame((frame) => {
    if (Buffer.isBuffer(frame)) {
      if (!hasGuessed) socket.send(transcript(false))
      hasGuessed = true
      return
    }
    assert.deepEqual(JSON.parse(frame), { type: 'stop_recording' })
    socket.send(transcript(true))
    socket.send(event('end_recording', { data: { recording_duration: 1 } }))
    socket.send(event('end_session'))
    socket.close(1000)
  })
}

function assertLiveWishes(asked: Record<string, unknown>) {
  const { messages_config: messages, ...wishes } = asked
  assert.ok((messages as Record<string, unknown>)['receive_partial_transcripts'])
  assert.deepEqual(wishes, {
    model: 'solaria-1',
    encoding: 'wav/pcm',
    bit_depth: 16,
    sample_rate: 16_000,
    channels: 1,
    language_config: { languages: ['fr'] },
    realtime_processing: {
      custom_vocabulary: true,
      custom_vocabulary_config: { vocabulary: ['Switchroom'] },
    },
  })
}

let looks = 0

const wire: Wire = {
  refusal: (message) => ({ statusCode: 400, message, request_id: 'G-1', timestamp: '', path: '/v2/live' }),
  socket: converse,
  http({ method, url, headers, body }, answer) {
    assert.match(String(headers['x-gladia-key']), /^mark-of-api_key/)
    const at = `${method} ${url.pathname}`
    const asked = () => JSON.parse(body.toString()) as Record<string, unknown>
    if (at === 'POST /v2/live') {
      assertLiveWishes(asked())
      const socket = `ws://${headers.host}/v2/live?token=a-token`
      return answer.json({ id: 'a-session', created_at: '2026-01-01T00:00:00.000Z', url: socket })
    }
    if (at === 'POST /v2/upload') {
      assert.match(body.toString('latin1'), /name="audio"; filename="audio.wav"/)
      return answer.json({ audio_url: 'https://api.gladia.io/file/a-file', audio_metadata: {} })
    }
    if (at === 'POST /v2/pre-recorded') {
      looks = 0
      assert.deepEqual(asked(), {
        model: 'solaria-1',
        diarization: true,
        audio_url: 'https://api.gladia.io/file/a-file',
      })
      return answer.json({ id: 'a-job', result_url: 'https://api.gladia.io/v2/pre-recorded/a-job' })
    }
    assert.equal(at, 'GET /v2/pre-recorded/a-job')
    looks += 1
    if (looks === 1) return answer.json({ id: 'a-job', status: 'processing', result: null })
    return answer.json({
      id: 'a-job',
      status: 'done',
      kind: 'pre-recorded',
      result: {
        metadata: { audio_duration: 2.5, billing_time: 2.5 },
        transcription: {
          full_transcript: 'Bonjour monde Salut toi',
          languages: ['fr'],
          utterances: [said(0, 'Bonjour monde', 1), said(1.5, 'Salut toi', 0)],
        },
      },
    })
  },
}

conformance(join(import.meta.dirname, '..'), wire, [
  listening('hears live', [new Uint8Array(640), 'finalize', new Uint8Array(640)], {
    choice: { knobs: { language: 'fr-CA', heard: ['Switchroom'] } },
    expect(heard) {
      assert.deepEqual(heard, [
        { type: 'ready' },
        { type: 'partial', text: 'Bonjour monde' },
        {
          type: 'final',
          text: 'Bonjour monde',
          start: 0,
          end: 0.8,
          language: 'fr',
          words: [
            { word: 'Bonjour', start: 0, end: 0.3 },
            { word: 'monde', start: 0.4, end: 0.8 },
          ],
        },
      ])
    },
  }),
  transcribing(
    'hears a recording',
    { bytes: wavOf(new Uint8Array(3_200), 16_000), mediaType: 'audio/wav' },
    {
      choice: { knobs: { diarize: true } },
      expect({ text, language, duration, words, segments }) {
        assert.deepEqual([text, language, duration], ['Bonjour monde Salut toi', 'fr', 2.5])
        assert.deepEqual(words[2], { word: 'Salut', start: 1.5, end: 1.8, speaker: 1 })
        assert.deepEqual(segments, [
          { start: 0, end: 0.8, text: 'Bonjour monde', speaker: 0 },
          { start: 1.5, end: 2.3, text: 'Salut toi', speaker: 1 },
        ])
      },
    },
  ),
])

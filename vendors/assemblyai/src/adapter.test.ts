import assert from 'node:assert/strict'
import { join } from 'node:path'
import { conformance, listening, transcribing } from '@switchroom/kit/testing/conformance'
import type { Seen, SocketAnswer, Wire } from '@switchroom/kit/testing/wire-fake'
import { wavOf } from '@switchroom/audio/wav'

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
function converse(socket: SocketAnswer, { url, headers }: Seen) {
  assert.equal(url.pathname, '/v3/ws')
  assert.match(headers.authorization ?? '', /^mark-of-api_key/)
  const asked = Object.fromEntries(url.searchParams)
  assert.deepEqual(asked, {
    sample_rate: '16000',
    encoding: 'pcm_s16le',
    speech_model: 'universal-streaming-multilingual',
    keyterms_prompt: '["Switchroom"]',
    end_of_turn_confidence_threshold: '0.7',
  })
  let order = 0
  let open: object[] | undefined
  const endTurn = () => {
    if (open) socket.send(turn(order, open, 'hola', true))
    order += open ? 1 : 0
    open = undefined
  }
  socket.send({ type: 'Begin', id: 'a-session', expires_at: 1_759_796_682 })
  socket.onFrame((frame) => {
    if (Buffer.isBuffer(frame)) {
      assert.ok(frame.length >= 1_600 && frame.length <= 32_000, `${frame.length} bytes are 50 ms to 1 s`)
      if (open) return
      open = [word('hola', 1_000 * order, 1_000 * order + 400)]
      return socket.send(turn(order, open, '', false))
    }
    const { type } = JSON.parse(frame) as { type: string }
    if (type === 'ForceEndpoint') return endTurn()
    assert.equal(type, 'Terminate')
    endTurn()
    socket.send({ type: 'Termination', audio_duration_seconds: 1, session_duration_seconds: 1 })
    return socket.close(1000)
  })
}

let looks = 0
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

const wire: Wire = {
  refusal: (words) => ({ error: words }),
  socketRefusal(socket, words) {
    socket.send({ type: 'Error', error_code: 1008, error: words })
    socket.close(1008, 'See Error message for details')
  },
  socket: converse,
  http({ method, url, headers, body }, answer) {
    assert.match(headers.authorization ?? '', /^mark-of-api_key/)
    const at = `${method} ${url.pathname}`
    if (at === 'POST /v2/upload') {
      assert.equal(body.subarray(0, 4).toString(), 'RIFF')
      return answer.json({ upload_url: 'https://cdn.assemblyai.com/upload/a-file' })
    }
    if (at === 'POST /v2/transcript') {
      looks = 0
      assert.deepEqual(JSON.parse(body.toString()), {
        audio_url: 'https://cdn.assemblyai.com/upload/a-file',
        speech_models: ['universal-2'],
        language_detection: true,
        speaker_labels: true,
      })
      return answer.json({ ...transcript, status: 'queued', text: null, words: null, utterances: null })
    }
    assert.equal(at, 'GET /v2/transcript/a-transcript')
    looks += 1
    return answer.json(looks > 1 ? transcript : { id: 'a-transcript', status: 'processing' })
  },
}

const piece = () => new Uint8Array(640) // 20 ms

conformance(join(import.meta.dirname, '..'), wire, [
  listening('hears live', [piece(), piece(), piece(), 'finalize', piece()], {
    choice: { knobs: { language: 'es-MX', heard: ['Switchroom'], eot_threshold: 0.7 } },
    expect(heard) {
      const final = (start: number) => ({
        type: 'final',
        text: 'hola',
        start,
        end: start + 0.4,
        words: [{ word: 'hola', start, end: start + 0.4 }],
      })
      assert.deepEqual(heard, [
        { type: 'ready' },
        { type: 'turn', state: 'started' },
        { type: 'partial', text: 'hola' },
        final(0),
        { type: 'turn', state: 'ended' },
        { type: 'turn', state: 'started' },
        { type: 'partial', text: 'hola' },
        final(1),
        { type: 'turn', state: 'ended' },
      ])
    },
  }),
  transcribing(
    'hears a recording',
    { bytes: wavOf(new Uint8Array(3_200), 16_000), mediaType: 'audio/wav' },
    {
      choice: { knobs: { diarize: true } },
      expect({ text, language, duration, words, segments }) {
        assert.deepEqual([text, language, duration], ['Hello there. Hi.', 'en', 2])
        assert.deepEqual(words[2], { word: 'Hi.', start: 1.2, end: 1.5, speaker: 1 })
        assert.deepEqual(segments, [
          { start: 0, end: 0.9, text: 'Hello there.', speaker: 0 },
          { start: 1.2, end: 1.5, text: 'Hi.', speaker: 1 },
        ])
      },
    },
  ),
])

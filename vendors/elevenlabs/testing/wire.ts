import assert from 'node:assert/strict'
import { SoundAtVendor } from '@switchroom/kit/testing/rates-conformance'
import type { HttpAnswer, Seen, SocketAnswer, Wire } from '@switchroom/kit/testing/wire-fake'

const heardRates = [8_000, 16_000, 22_050, 24_000, 44_100, 48_000]
const spokenRates = new Set([...heardRates, 32_000])
/** It ignores a commit of less and hangs up. */
const leastCommitS = 0.3
const bytesPerSample = 2

const rateOf = (format: string | null) => Number(/^pcm_(\d+)$/.exec(format ?? '')?.[1])

const alignment = (text: string, from: number) => {
  const characters = Array.from(text)
  return {
    characters,
    character_start_times_seconds: characters.map((_, at) => from + at / 10),
    character_end_times_seconds: characters.map((_, at) => from + (at + 1) / 10),
  }
}

async function speak({ url, body }: Seen, answer: HttpAnswer) {
  assert.match(url.pathname, /^\/v1\/text-to-speech\/[^/]+\/stream\/with-timestamps$/)
  assert.ok(spokenRates.has(rateOf(url.searchParams.get('output_format'))), url.search)
  const { text } = JSON.parse(body.toString()) as { text: string }
  answer.start({ 'content-type': 'application/json' })
  const pieces: [number, object | null][] = [
    [3201, alignment(text.slice(0, 9), 0)],
    [3199, null],
    [3200, alignment(text.slice(9), 0.9)],
  ]
  for (const [bytes, spoken] of pieces) {
    const audio_base64 = Buffer.alloc(bytes, 7).toString('base64')
    await answer.piece(
      `${JSON.stringify({ audio_base64, alignment: spoken, normalized_alignment: spoken })}\n\n`,
    )
  }
  answer.end()
}

const token = (text: string, start: number, speaker: string, type = 'word') => ({
  text,
  start,
  end: start + 0.4,
  type,
  speaker_id: speaker,
  logprob: -0.1,
})

/** The first value of a field of a form. */
export const formField = (body: Buffer, name: string) =>
  new RegExp(`name="${name}"\n\n(.*)\n`).exec(body.toString('latin1').replaceAll('\r\n', '\n'))?.[1]

function transcript({ headers, body }: Seen, answer: HttpAnswer) {
  assert.match(headers['content-type'] ?? '', /^multipart\/form-data/)
  assert.match(body.toString('latin1'), /name="file"; filename="[^"]+"/)
  assert.ok(['scribe_v1', 'scribe_v2'].includes(formField(body, 'model_id') ?? ''), 'it takes recordings')
  return answer.json({
    language_code: 'eng',
    language_probability: 0.98,
    text: 'Hello there. (laughter) Bye.',
    audio_duration_secs: 2.1,
    words: [
      token('Hello', 0.1, 'speaker_1'),
      token(' ', 0.5, 'speaker_1', 'spacing'),
      token('there.', 0.6, 'speaker_1'),
      token(' ', 1, 'speaker_1', 'spacing'),
      token('(laughter)', 1.1, 'speaker_0', 'audio_event'),
      token('Bye.', 1.6, 'speaker_0'),
    ],
  })
}

function listVoices({ url }: Seen, answer: HttpAnswer) {
  const next = url.searchParams.get('next_page_token')
  if (next === null)
    return answer.json({
      voices: [
        {
          voice_id: 'v1',
          name: 'George',
          description: 'Warm and calm',
          labels: { language: 'en', gender: 'male', accent: 'british' },
          verified_languages: [{ language: 'en', model_id: 'm', locale: 'en-GB' }],
        },
      ],
      has_more: true,
      total_count: 0,
      next_page_token: 'page/2',
    })
  assert.equal(next, 'page/2')
  const verified_languages = [
    { language: 'en', model_id: 'm' },
    { language: 'es', model_id: 'm' },
  ]
  const voices = [
    { voice_id: 'v2', name: 'Ana', labels: { language: 'en' }, verified_languages },
    { voice_id: 'v3' },
  ]
  return answer.json({ voices, has_more: false, total_count: 0, next_page_token: null })
}

interface Chunk {
  message_type: string
  audio_base_64: string
  commit: boolean
  sample_rate: number
}

/** Guesses at every chunk; what it is sure of it says at the first commit, with times and language if it was asked to. */
function converse(sound: SoundAtVendor, socket: SocketAnswer, { url }: Seen) {
  const asked = url.searchParams
  assert.equal(url.pathname, '/v1/speech-to-text/realtime')
  assert.equal(asked.get('model_id'), 'scribe_v2_realtime')
  sound.rate = rateOf(asked.get('audio_format'))
  assert.ok(heardRates.includes(sound.rate), `audio_format is ${asked.get('audio_format')}`)
  const isTimed = asked.get('include_timestamps') === 'true'
  const isDetected = asked.get('include_language_detection') === 'true'
  let commits = 0
  socket.send({
    message_type: 'session_started',
    session_id: 'fake',
    config: { sample_rate: sound.rate, model_id: 'scribe_v2_realtime', include_timestamps: isTimed },
  })
  socket.onFrame((frame) => {
    const chunk = JSON.parse(String(frame)) as Chunk
    assert.deepEqual([chunk.message_type, chunk.sample_rate], ['input_audio_chunk', sound.rate])
    const pcm = Buffer.from(chunk.audio_base_64, 'base64')
    sound.add(pcm)
    if (!chunk.commit) return socket.send({ message_type: 'partial_transcript', text: 'Hel' })
    const seconds = pcm.length / bytesPerSample / sound.rate
    assert.ok(seconds >= leastCommitS, 'enough to be committed')
    commits += 1
    const text = commits === 1 ? 'Hello there.' : ''
    const words =
      commits === 1 ? [token('Hello', 0.1, ''), token(' ', 0.5, '', 'spacing'), token('there.', 0.6, '')] : []
    const language = asked.get('language_code') ?? (isDetected ? 'eng' : null)
    socket.send({ message_type: 'committed_transcript', text })
    if (isTimed || isDetected)
      socket.send({
        message_type: 'committed_transcript_with_timestamps',
        text,
        language_code: language,
        words: isTimed ? words : null,
      })
    return undefined
  })
}

/** ElevenLabs: voices, live and recorded speech-to-text; what it hears live is kept in `sound`. */
export function elevenLabsWire(sound = new SoundAtVendor()): Wire {
  return {
    refusal: (words) => ({ detail: { type: 'invalid_request', code: 'bad', message: words, status: 'bad' } }),
    socketRefusal(socket, words) {
      socket.send({ message_type: 'auth_error', error: words })
      socket.close(1008, 'auth_error')
    },
    socket(socket, seen) {
      assert.ok(seen.headers['xi-api-key'])
      converse(sound, socket, seen)
    },
    async http(seen, answer) {
      assert.ok(seen.headers['xi-api-key'])
      if (seen.url.pathname === '/v2/voices') return listVoices(seen, answer)
      if (seen.url.pathname === '/v1/speech-to-text') return transcript(seen, answer)
      return speak(seen, answer)
    },
  }
}

import assert from 'node:assert/strict'
import type { HttpAnswer, Seen, SocketAnswer, Wire } from '@switchroom/kit/testing/wire-fake'

const alignment = (text: string, from: number) => {
  const characters = Array.from(text)
  return {
    characters,
    character_start_times_seconds: characters.map((_, at) => from + at / 10),
    character_end_times_seconds: characters.map((_, at) => from + (at + 1) / 10),
  }
}

async function speak({ url, body }: Seen, answer: HttpAnswer) {
  assert.equal(url.pathname, '/v1/text-to-speech/voice%2F1/stream/with-timestamps')
  assert.equal(url.search, '?output_format=pcm_16000')
  assert.deepEqual(JSON.parse(body.toString()), {
    text: 'Hello, there you are',
    model_id: 'eleven_flash_v2_5',
    language_code: 'pt',
    voice_settings: { speed: 1.1 },
  })
  answer.start({ 'content-type': 'application/json' })
  const pieces: [number, object | null][] = [
    [3201, alignment('Hello, th', 0)],
    [3199, null],
    [3200, alignment('ere you are', 0.9)],
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

function transcript({ headers, body }: Seen, answer: HttpAnswer) {
  assert.match(headers['content-type'] ?? '', /^multipart\/form-data/)
  const form = body.toString('latin1').replaceAll('\r\n', '\n')
  const field = (name: string) => new RegExp(`name="${name}"\n\n(.*)\n`).exec(form)?.[1]
  assert.match(form, /name="file"; filename="audio.wav"/)
  assert.deepEqual(['model_id', 'diarize', 'language_code', 'keyterms'].map(field), [
    'scribe_v2',
    'true',
    'en',
    'Switchroom',
  ])
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
  assert.deepEqual(url.searchParams.get('page_size'), '100')
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

function converse(socket: SocketAnswer) {
  let commits = 0
  socket.send({ message_type: 'session_started', session_id: 'fake', config: {} })
  socket.onFrame((frame) => {
    const chunk = JSON.parse(String(frame)) as Chunk
    assert.deepEqual([chunk.message_type, chunk.sample_rate], ['input_audio_chunk', 16_000])
    if (!chunk.commit) return socket.send({ message_type: 'partial_transcript', text: 'Hel' })
    assert.equal(Buffer.from(chunk.audio_base_64, 'base64').length, 9_600, 'enough to be committed')
    commits += 1
    const text = commits === 1 ? 'Hello there.' : ''
    const words =
      commits === 1 ? [token('Hello', 0.1, ''), token(' ', 0.5, '', 'spacing'), token('there.', 0.6, '')] : []
    socket.send({ message_type: 'committed_transcript', text })
    socket.send({ message_type: 'committed_transcript_with_timestamps', text, language_code: 'eng', words })
  })
}

/** ElevenLabs as its adapter's test asks it. */
export const wire: Wire = {
  refusal: (words) => ({ detail: { type: 'invalid_request', code: 'bad', message: words, status: 'bad' } }),
  socketRefusal(socket, words) {
    socket.send({ message_type: 'auth_error', error: words })
    socket.close(1008, 'auth_error')
  },
  socket(socket, { url, headers }) {
    assert.equal(url.pathname, '/v1/speech-to-text/realtime')
    assert.match(String(headers['xi-api-key']), /^mark-of-api_key/)
    assert.deepEqual(Object.fromEntries(url.searchParams), {
      commit_strategy: 'vad',
      model_id: 'scribe_v2_realtime',
      language_code: 'en',
      keyterms: 'Ada',
      include_timestamps: 'true',
      audio_format: 'pcm_16000',
    })
    converse(socket)
  },
  async http(seen, answer) {
    assert.match(String(seen.headers['xi-api-key']), /^mark-of-api_key/)
    if (seen.url.pathname === '/v2/voices') return listVoices(seen, answer)
    if (seen.url.pathname === '/v1/speech-to-text') return transcript(seen, answer)
    return speak(seen, answer)
  },
}

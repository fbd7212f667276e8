import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { AudioFormat, ElevenLabsClient, RealtimeEvents } from '@elevenlabs/elevenlabs-js'
import { startWireFake } from '@switchroom/kit/testing/wire-fake'
import { wavOf } from '@switchroom/audio/wav'
import { elevenLabsWire } from '../testing/wire.ts'

async function clientIn(t: TestContext) {
  const fake = await startWireFake(elevenLabsWire())
  t.after(() => fake.stop())
  return { fake, client: new ElevenLabsClient({ apiKey: 'key-of-a-test', baseUrl: fake.url, maxRetries: 0 }) }
}

const live = {
  modelId: 'scribe_v2_realtime',
  audioFormat: AudioFormat.PCM_16000,
  sampleRate: 16_000,
  includeTimestamps: true,
  includeLanguageDetection: true,
}

test("the vendor's own client is heard live by the fake", async (t) => {
  const { client } = await clientIn(t)
  const connection = await client.speechToText.realtime.connect(live)
  const partials: string[] = []
  connection.on(RealtimeEvents.PARTIAL_TRANSCRIPT, ({ text }) => partials.push(text))
  const started = new Promise<void>((resolve) =>
    connection.on(RealtimeEvents.SESSION_STARTED, () => resolve()),
  )
  const committed = new Promise<{ text: string; language_code?: string | null; words?: object[] | null }>(
    (resolve) => connection.on(RealtimeEvents.COMMITTED_TRANSCRIPT_WITH_TIMESTAMPS, resolve),
  )
  await started
  const audioBase64 = Buffer.alloc(32_000).toString('base64')
  connection.send({ audioBase64 })
  connection.send({ audioBase64, commit: true })
  const { text, language_code: language, words } = await committed
  assert.deepEqual([text, language, words?.length, partials], ['Hello there.', 'eng', 3, ['Hel']])
  connection.close()
})

test("the vendor's own client has a recording transcribed by the fake", async (t) => {
  const { client } = await clientIn(t)
  const file = new Blob([Buffer.from(wavOf(new Uint8Array(3_200), 16_000))], { type: 'audio/wav' })
  const { text, words, languageCode } = await client.speechToText.convert({
    file,
    modelId: 'scribe_v2',
    diarize: true,
  })
  assert.deepEqual([text, languageCode], ['Hello there. (laughter) Bye.', 'eng'])
  assert.deepEqual(
    words.filter(({ type }) => type === 'word').map((word) => [word.text, word.speakerId]),
    [
      ['Hello', 'speaker_1'],
      ['there.', 'speaker_1'],
      ['Bye.', 'speaker_0'],
    ],
  )
})

test("the vendor's own client hears the fake speak, with times", async (t) => {
  const { client } = await clientIn(t)
  const text = 'Hello, there you are'
  const stream = await client.textToSpeech.streamWithTimestamps('JBFqnCBsd6RMkjVDRZzb', {
    text,
    modelId: 'eleven_flash_v2_5',
    outputFormat: 'pcm_16000',
  })
  const chunks = await Array.fromAsync(stream)
  const bytes = chunks.map(({ audioBase64 }) => Buffer.from(audioBase64, 'base64').length)
  assert.deepEqual(bytes, [3_201, 3_199, 3_200])
  assert.equal(chunks.flatMap(({ alignment }) => alignment?.characters ?? []).join(''), text)
})

test("the vendor's own client lists the voices of the fake", async (t) => {
  const { client } = await clientIn(t)
  const { voices, hasMore, nextPageToken } = await client.voices.search({ pageSize: 100 })
  assert.deepEqual([voices[0]?.voiceId, voices[0]?.labels?.['accent'], hasMore], ['v1', 'british', true])
  assert.ok(nextPageToken)
  const rest = await client.voices.search({ pageSize: 100, nextPageToken })
  assert.deepEqual([rest.voices.map(({ voiceId }) => voiceId), rest.hasMore], [['v2', 'v3'], false])
})

test("the vendor's own client reads the refusals of the fake, over HTTP and on the socket", async (t) => {
  const { fake, client } = await clientIn(t)
  fake.mode = 'refuse'
  await assert.rejects(client.voices.search(), (error: Error & { statusCode?: number; body?: unknown }) => {
    assert.equal(error.statusCode, 400)
    assert.match(JSON.stringify(error.body), /the fake says no/)
    return true
  })
  const connection = await client.speechToText.realtime.connect(live)
  connection.on(RealtimeEvents.ERROR, () => {})
  const refused = await new Promise<{ error: string }>((resolve) =>
    connection.on(RealtimeEvents.AUTH_ERROR, resolve),
  )
  assert.equal(refused.error, 'the fake says no')
})

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import OpenAI, { APIError, toFile } from 'openai'
import type { TranscriptionCreateParams } from 'openai/resources/audio/transcriptions'
import { until } from '@switchroom/gateway/testing/until'
import { recording } from '@switchroom/kit/testing/recordings'
import { transcribe } from '../../testing/form-caller.ts'
import { OpenAiWire, theirText } from '../../testing/openai-wire.ts'
import { startWithFakeGateway } from '../../testing/speech-server.ts'
import { refusedWith } from '../../testing/voice-deployment.ts'

const wire = new OpenAiWire()
let speech: Awaited<ReturnType<typeof startWithFakeGateway>>
let client: OpenAI

before(async () => {
  await wire.fake.start()
  speech = await startWithFakeGateway()
  client = new OpenAI({ baseURL: `${speech.url}/v1`, apiKey: 'any', maxRetries: 0 })
})
after(async () => {
  await speech[Symbol.asyncDispose]()
  await wire.fake.stop()
})
beforeEach(() => {
  wire.fake.mode = 'answer'
  wire.lastWords = Promise.resolve()
  wire.isCut = false
  speech.gateway.refusals = {}
  speech.gateway.grant = () => theirs('whisper-1')
})

const theirs = (model: string) => ({
  vendor: 'openai',
  model,
  knobs: { stt: model },
  options: { base_url: wire.fake.url },
  credentials: { api_key: 'their key' },
})
const file = () => toFile(recording('fox.wav'), 'fox.wav')
const heard = async (asked: Partial<TranscriptionCreateParams>) =>
  client.audio.transcriptions.create({ file: await file(), model: 'whisper-1', ...asked } as never) as unknown

test('json, text, srt and vtt are read by the official client as what they are', async () => {
  const usage = { type: 'duration', seconds: 3 }
  const json = { text: theirText, language: 'en', duration: 2.5, usage }
  assert.deepEqual({ ...((await heard({})) as object) }, json)
  assert.equal(await heard({ response_format: 'text' }), theirText)
  assert.equal(
    await heard({ response_format: 'srt' }),
    '1\n00:00:00,000 --> 00:00:01,000\nHello there.\n\n2\n00:00:01,200 --> 00:00:02,100\nGood bye.\n\n',
  )
  assert.match(String(await heard({ response_format: 'vtt' })), /^WEBVTT\n\n00:00:00\.000 --> /)
  assert.equal(speech.gateway.asked.at(-1)?.openai, true)
  assert.equal(speech.gateway.asked.at(-1)?.model, 'whisper-1')
})

test('verbose_json has segments, and words if they are asked for', async () => {
  type Verbose = OpenAI.Audio.TranscriptionVerbose & { task: string; model: string }
  const verbose = async (units?: ('word' | 'segment')[]) =>
    (await heard({
      response_format: 'verbose_json',
      ...(units && { timestamp_granularities: units }),
    })) as Verbose
  const usual = await verbose()
  assert.deepEqual([usual.task, usual.language, usual.duration], ['transcribe', 'english', 2.5])
  assert.equal(usual.words, undefined)
  const [first] = usual.segments ?? []
  assert.deepEqual([first?.id, first?.start, first?.end, first?.text], [0, 0, 1, 'Hello there.'])
  assert.deepEqual([first?.tokens, first?.temperature, first?.no_speech_prob], [[], 0, 0])
  const words = await verbose(['word'])
  assert.equal(words.segments, undefined)
  assert.deepEqual(words.words?.at(-1), { word: 'bye.', start: 1.6, end: 2 })
  const both = await verbose(['word', 'segment'])
  assert.deepEqual([both.words?.length, both.segments?.length], [4, 2])
})

test('a stream gives text while the vendor still hears, and the whole at its end', async () => {
  speech.gateway.grant = () => theirs('gpt-4o-transcribe')
  let finish: () => void = () => {}
  wire.lastWords = new Promise((resolve) => (finish = resolve))
  const stream = await client.audio.transcriptions.create({
    file: await file(),
    model: 'gpt-4o-transcribe',
    stream: true,
  })
  const types: string[] = []
  let text = ''
  for await (const event of stream) {
    types.push(event.type)
    if (event.type === 'transcript.text.delta') {
      text += event.delta
      finish()
    } else if (event.type === 'transcript.text.done') assert.equal(event.text, theirText)
  }
  assert.deepEqual(types, ['transcript.text.delta', 'transcript.text.delta', 'transcript.text.done'])
  assert.equal(text, theirText)
})

test('a model that tells nothing before the end gives a delta for each segment', async () => {
  const stream = await client.audio.transcriptions.create({
    file: await file(),
    model: 'whisper-1',
    stream: true,
  })
  const events = await Array.fromAsync(stream)
  const deltas = events.flatMap((event) => (event.type === 'transcript.text.delta' ? [event.delta] : []))
  assert.deepEqual(deltas, ['Hello there.', ' Good bye.'])
})

test('a stream whose vendor fails is thrown by the client: as a refusal before the first text, later from its events', async () => {
  speech.gateway.grant = () => theirs('gpt-4o-transcribe')
  const asked = { file: await file(), model: 'gpt-4o-transcribe', stream: true } as const
  wire.fake.mode = 'refuse'
  const refused = await client.audio.transcriptions.create(asked).catch((error: unknown) => error)
  assert.ok(refused instanceof APIError)
  assert.deepEqual([refused.status, refused.code], [502, 'upstream_error'])
  wire.fake.mode = 'answer'
  wire.isCut = true
  const stream = await client.audio.transcriptions.create({ ...asked, file: await file() })
  const read = async () => {
    for await (const event of stream) assert.equal(event.type, 'transcript.text.delta')
  }
  await assert.rejects(read(), /openai did not answer: it stopped before the end of the transcript/)
})

test('a client that leaves a stream cancels the vendor, which is settled', async () => {
  speech.gateway.grant = () => theirs('gpt-4o-transcribe')
  wire.lastWords = new Promise(() => {})
  const settled = speech.gateway.settled.length
  const stream = await client.audio.transcriptions.create({
    file: await file(),
    model: 'gpt-4o-transcribe',
    stream: true,
  })
  for await (const event of stream) {
    assert.equal(event.type, 'transcript.text.delta')
    break
  }
  await until('it is settled', () => speech.gateway.settled.length > settled)
  await until('the vendor is left', () => wire.fake.open === 0)
})

test('a recording is translated by a vendor that can, and refused in a sentence by one that cannot', async () => {
  const translated = await client.audio.translations.create({ file: await file(), model: 'whisper-1' })
  assert.equal(translated.text, theirText)
  assert.equal(wire.fake.seen.at(-1)?.url.pathname, '/audio/translations')
  assert.equal(speech.gateway.asked.at(-1)?.translate, true)
  const verbose = await client.audio.translations.create({
    file: await file(),
    model: 'whisper-1',
    response_format: 'verbose_json',
  })
  const { task, language } = verbose as unknown as Record<string, string>
  assert.deepEqual([task, language], ['translate', 'english'])
  speech.gateway.grant = () => ({})
  const refused = await client.audio.translations
    .create({ file: await file(), model: 'local/moonshine-tiny' })
    .catch((error: unknown) => error)
  assert.ok(refused instanceof APIError)
  assert.equal(refused.message, '400 `model`: local/moonshine-tiny does not translate')
})

test('fields and files that are wrong are refused in a sentence that the client reads', async () => {
  const table: [Partial<TranscriptionCreateParams>, number, string, string][] = [
    [
      { response_format: 'diarized_json' },
      400,
      'response_format',
      '`response_format` is json, verbose_json, text, srt or vtt',
    ],
    [
      { stream: true, response_format: 'srt' },
      400,
      'stream',
      '`stream`: its events hold the text alone: leave it out for srt',
    ],
    [
      { timestamp_granularities: ['letter' as 'word'] },
      400,
      'timestamp_granularities',
      '`timestamp_granularities` are word and segment',
    ],
    [
      { file: await toFile(Buffer.from('no sound at all, only words'), 'a.wav') },
      415,
      'file',
      '`file` is none of WAV, MP3, MP4, WebM, Ogg, FLAC, AAC, AIFF and AMR by its content',
    ],
    [
      { file: await toFile(Buffer.alloc(26_214_401, recording('fox.wav')), 'a.wav') },
      413,
      'file',
      '`file` is larger than 26214400 bytes (25 MB)',
    ],
  ]
  for (const [change, status, param, sentence] of table) {
    const error = await heard(change).catch((thrown: unknown) => thrown)
    assert.ok(error instanceof APIError, JSON.stringify(error))
    assert.deepEqual([error.status, error.param, error.message], [status, param, `${status} ${sentence}`])
  }
})

test('in our own form the formats stay those of the documents; OpenAI fields make it theirs (S-335, S-338)', async () => {
  const wav = { bytes: recording('fox.wav') }
  const ours = await transcribe(speech.url, { file: wav, model: 'openai', response_format: 'srt' })
  refusedWith(ours, 400, 'BAD_REQUEST', '`response_format` is json, verbose_json or text')
  const named = await transcribe(speech.url, { file: wav, model: 'whisper-1', response_format: 'srt' })
  assert.match(named.bytes.toString(), /^1\n00:00:00,000 --> /)
  const streamed = await transcribe(speech.url, { file: wav, stream: 'true' })
  assert.equal(streamed.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  assert.match(streamed.bytes.toString(), /"transcript\.text\.done"/)
})

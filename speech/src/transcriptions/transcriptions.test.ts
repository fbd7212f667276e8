import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { until } from '@switchroom/gateway/testing/until'
import { transcribe } from '../../testing/form-caller.ts'
import { heardText, startTranscriberWire, type TranscriberWire } from '../../testing/transcriber-wire.ts'
import { aiff, recording, silentAmr, spokenPcm, spokenSeconds } from '@switchroom/kit/testing/recordings'
import { startWithFakeGateway } from '../../testing/speech-server.ts'
import { refusedWith } from '../../testing/voice-deployment.ts'

let speech: Awaited<ReturnType<typeof startWithFakeGateway>>
let wire: TranscriberWire

before(async () => {
  wire = await startTranscriberWire()
  speech = await startWithFakeGateway()
})
after(async () => {
  await speech[Symbol.asyncDispose]()
  await wire.fake.stop()
})
beforeEach(() => {
  wire.fake.mode = 'answer'
  wire.duration = 2.5
  speech.gateway.refusals = {}
  speech.gateway.grant = () => ({})
})

/** Grants a vendor whose wire is ours. */
const grantWire = () => {
  speech.gateway.grant = ({ diarize }) => ({
    vendor: 'deepgram',
    model: 'nova-3',
    knobs: diarize ? { diarize } : {},
    options: { base_url: wire.fake.url },
    credentials: { api_key: 'their key' },
  })
}

const wav = () => ({ bytes: recording('fox.wav') })

for (const [name, file] of Object.entries({
  'fox.wav': recording('fox.wav'),
  'fox.mp3': recording('fox.mp3'),
  'fox.m4a': recording('fox.m4a'),
  'fox.webm': recording('fox.webm'),
  'fox.ogg': recording('fox.ogg'),
  'fox.flac': recording('fox.flac'),
  'fox.aac': recording('fox.aac'),
  'fox.aiff': aiff(spokenPcm(), 16_000),
}))
  test(`${name} is heard for real (S-288, S-327)`, async () => {
    const { status, body } = await transcribe(speech.url, { file: { bytes: file, name } })
    assert.equal(status, 200)
    assert.match(body.text, /quick brown|click brown/i)
    assert.ok(Math.abs(body.duration - spokenSeconds) < 0.05)
  })

test('AMR is taken, too (S-327)', async () => {
  const { status, body } = await transcribe(speech.url, { file: { bytes: silentAmr() } })
  assert.deepEqual([status, body], [200, { text: '', language: 'en', duration: 2 }])
})

test('json is text, language and duration in seconds, and the default (S-335, S-336, S-337, S-340, S-341, S-342)', async () => {
  for (const format of [{}, { response_format: 'json' }]) {
    const { status, body, headers } = await transcribe(speech.url, { file: wav(), model: 'local', ...format })
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body), ['text', 'language', 'duration'])
    assert.equal(body.language, 'en')
    assert.equal(body.duration, Math.round(spokenSeconds * 1_000) / 1_000)
    assert.match(headers.get('x-svc-request-id') ?? '', /^req_[0-9a-f]{24}$/)
  }
})

test('verbose_json adds the model, words and segments (S-329, S-335, S-338, S-340, SD-75)', async () => {
  const asked = { file: wav(), response_format: 'verbose_json' }
  const { body, headers } = await transcribe(speech.url, asked)
  assert.deepEqual(Object.keys(body), ['text', 'language', 'duration', 'model', 'words', 'segments'])
  assert.equal(body.model, 'local/moonshine-tiny')
  assert.ok(body.words.length >= 7)
  for (const word of body.words) assert.deepEqual(Object.keys(word), ['word', 'start', 'end'])
  assert.deepEqual(Object.keys(body.segments[0]), ['id', 'start', 'end', 'text'])
  assert.equal(body.segments[0].id, 0)
  assert.match(headers.get('x-svc-request-id') ?? '', /^req_/)
})

test('text is the transcript and nothing else (S-335, S-339, S-340, SD-75)', async () => {
  grantWire()
  const { bytes, headers } = await transcribe(speech.url, { file: wav(), response_format: 'text' })
  assert.equal(bytes.toString(), heardText)
  assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.match(headers.get('x-svc-request-id') ?? '', /^req_/)
})

test('a vendor without segments gives one for the whole (SD-75)', async () => {
  grantWire()
  const { body } = await transcribe(speech.url, { file: wav(), response_format: 'verbose_json' })
  assert.deepEqual(body.segments, [{ id: 0, start: 0, end: 2.5, text: heardText }])
})

test('speakers are numbered from 0 if the caller asks for them, and left out otherwise (S-334, SD-75)', async () => {
  grantWire() // its vendor distinguishes speakers in any case
  const told = async (asked: Record<string, string>) => {
    const { body } = await transcribe(speech.url, { file: wav(), response_format: 'verbose_json', ...asked })
    return body.words.map(({ speaker }: { speaker?: number }) => speaker)
  }
  assert.deepEqual(await told({ diarize: 'true' }), [0, 1])
  assert.deepEqual(await told({ diarize: 'false' }), [undefined, undefined])
  assert.deepEqual(await told({}), [undefined, undefined])
})

test('a vendor that takes the form of a file gets it as it is; its length is settled (S-329)', async () => {
  grantWire()
  const file = recording('fox.mp3')
  const { body } = await transcribe(speech.url, { file: { bytes: file, name: 'a.wav', type: 'audio/wav' } })
  assert.equal(body.duration, 2.5)
  const seen = wire.fake.seen.at(-1)
  assert.ok(seen?.body.equals(file))
  assert.equal(seen?.headers['content-type'], 'audio/mpeg')
  await until('it is settled', () => speech.gateway.settled.at(-1)?.seconds === 2.5)
})

test('a length that the vendor does not report is measured, because it is paid for (S-337)', async () => {
  grantWire()
  wire.duration = null
  const { body } = await transcribe(speech.url, { file: { bytes: recording('fox.ogg') } })
  assert.ok(Math.abs(body.duration - spokenSeconds) < 0.02)
  await until('it is settled', () => {
    const { seconds = 0 } = speech.gateway.settled.at(-1) ?? {}
    return Math.abs(seconds - body.duration) < 0.001
  })
})

test('what is asked for reaches the gateway as it was said (S-330, S-332, S-333, S-334)', async () => {
  grantWire()
  await transcribe(speech.url, {
    language: 'es',
    file: wav(),
    model: 'deepgram',
    diarize: 'true',
    prompt: 'so',
  })
  const asked = { doing: 'transcriptions', key_id: 'key_1', model: 'deepgram', language: 'es', diarize: true }
  assert.deepEqual(speech.gateway.asked.at(-1), asked)
  await transcribe(speech.url, { file: wav() })
  assert.deepEqual(speech.gateway.asked.at(-1), { ...asked, model: null, language: null, diarize: false })
})

test('a field that is none of its values is refused (S-332, S-334, S-335, S-441, SD-74)', async () => {
  const refused = async (field: Record<string, string>, sentence: string) =>
    refusedWith(await transcribe(speech.url, { file: wav(), ...field }), 400, 'BAD_REQUEST', sentence)
  for (const language of ['spanish', 'ES', '', 'e1', 'en-US'])
    await refused({ language }, '`language` is two small letters, such as en')
  for (const diarize of ['maybe', '1', '', 'True']) await refused({ diarize }, '`diarize` is true or false')
  for (const format of ['srt', '', 'JSON'])
    await refused({ response_format: format }, '`response_format` is json, verbose_json or text')
  await refused({ response_format: 'srt', language: 'x' }, '`language` is two small letters, such as en')
})

test('a name that no model can have is no model (S-442)', async () => {
  for (const model of ['a\u0000b', 'x'.repeat(300), 'line\nbreak'])
    refusedWith(
      await transcribe(speech.url, { file: wav(), model }),
      400,
      'BAD_MODEL',
      'there is no model of that name',
    )
})

test('the file is required, and not empty (S-326, S-441, SD-74)', async () => {
  const missing = '`file` is required: the audio, as a file of the form'
  refusedWith(await transcribe(speech.url, { model: 'local' }), 400, 'BAD_REQUEST', missing)
  refusedWith(await transcribe(speech.url, { file: 'just text' }), 400, 'BAD_REQUEST', missing)
  refusedWith(await transcribe(speech.url, { audio: wav() }), 400, 'BAD_REQUEST', missing)
  refusedWith(
    await transcribe(speech.url, { file: { bytes: Buffer.alloc(0) } }),
    400,
    'BAD_REQUEST',
    '`file` is empty',
  )
  refusedWith(
    await transcribe(speech.url, { file: { bytes: Buffer.from('OggS and nothing that is a page of it') } }),
    400,
    'BAD_REQUEST',
    '`file` holds no audio',
  )
})

test('the content of a file counts, not its name (S-327, S-450, SD-74)', async () => {
  const pdf = Buffer.from('%PDF-1.7 and much more than twelve bytes')
  const sentence = '`file` is none of WAV, MP3, MP4, WebM, Ogg, FLAC, AAC, AIFF and AMR by its content'
  const named = { bytes: pdf, name: 'speech.wav', type: 'audio/wav' }
  refusedWith(await transcribe(speech.url, { file: named }), 415, 'UNSUPPORTED_MEDIA', sentence)
  refusedWith(
    await transcribe(speech.url, { file: { bytes: Buffer.from('tiny') } }),
    415,
    'UNSUPPORTED_MEDIA',
    sentence,
  )
  const { status } = await transcribe(speech.url, {
    file: { ...wav(), name: 'notes.txt', type: 'text/plain' },
  })
  assert.equal(status, 200)
  const hollow = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\0'), Buffer.alloc(100)])
  const answer = await transcribe(speech.url, { file: { bytes: hollow } })
  assert.ok(
    answer.status === 415 || answer.body.error === '`file` holds no audio',
    JSON.stringify(answer.body),
  )
})

test('what is no form, or a broken one, is refused (S-441, SD-74)', async () => {
  const no = async (body: string, type: string, sentence: string) =>
    refusedWith(
      await transcribe(speech.url, body, { headers: { 'content-type': type } }),
      400,
      'BAD_REQUEST',
      sentence,
    )
  await no('{"file": "x"}', 'application/json', 'body: must be multipart/form-data')
  await no('RIFF', 'audio/wav', 'body: must be multipart/form-data')
  await no('a=b', 'application/x-www-form-urlencoded', 'body: must be multipart/form-data')
  await no('--x', 'multipart/form-data', 'body: must be whole multipart/form-data')
  await no('--x\r\nhalf', 'multipart/form-data; boundary=x', 'body: must be whole multipart/form-data')
  const none = await transcribe(speech.url, new Uint8Array(0), { headers: { 'content-type': 'text/plain' } })
  refusedWith(none, 400, 'BAD_REQUEST', 'body: must be multipart/form-data')
})

test('the gateway is asked who is calling before anything is read, and what they pay with after (S-290, S-366, S-444, SD-67)', async () => {
  const refusal = {
    status: 402,
    code: 'SUBSCRIPTION_REQUIRED',
    error: 'this org has no subscription',
  } as const
  speech.gateway.refusals = { entry: refusal }
  refusedWith(await transcribe(speech.url, 'nothing'), 402, refusal.code, refusal.error)
  const limited = { status: 429, code: 'RATE_LIMITED', error: 'slow down', retry_after_s: 7 } as const
  speech.gateway.refusals = { entry: limited }
  const answer = await transcribe(speech.url, { file: wav() })
  refusedWith(answer, 429, 'RATE_LIMITED', 'slow down')
  assert.equal(answer.headers.get('retry-after'), '7')
  speech.gateway.refusals = { grant: { status: 400, code: 'DIARIZE_UNSUPPORTED', error: 'no speakers here' } }
  refusedWith(
    await transcribe(speech.url, { file: wav(), diarize: 'x' }),
    400,
    'BAD_REQUEST',
    '`diarize` is true or false',
  )
  refusedWith(await transcribe(speech.url, { file: wav() }), 400, 'DIARIZE_UNSUPPORTED', 'no speakers here')
  speech.gateway.refusals = {}
  const anonymous = await transcribe(speech.url, { file: wav() }, { headers: { authorization: 'Basic x' } })
  assert.equal(anonymous.body.code, 'MISSING_KEY')
})

test('a vendor that refuses or breaks is 502, and costs nothing (S-452)', async () => {
  grantWire()
  wire.fake.mode = 'refuse'
  refusedWith(
    await transcribe(speech.url, { file: wav() }),
    502,
    'UPSTREAM_ERROR',
    'deepgram refused: the fake says no',
  )
  wire.fake.mode = 'break'
  const broken = await transcribe(speech.url, { file: wav() })
  refusedWith(broken, 502, 'UPSTREAM_ERROR', /^deepgram did not answer: /)
  for (const back of [0, 1]) {
    const grant = `grant_${speech.gateway.asked.length - back}`
    const settled = () => speech.gateway.settled.find((settlement) => settlement.grant === grant)
    await until('it is settled', () => settled()?.seconds === 0)
  }
})

test('a vendor that hangs is 504, is cancelled and costs nothing (S-453, SD-74)', async () => {
  await using hurried = await startWithFakeGateway({ SVC_TRANSCRIBE_TIMEOUT_S: '1' })
  grantWire()
  hurried.gateway.grant = speech.gateway.grant
  wire.fake.mode = 'hang'
  const answer = await transcribe(hurried.url, { file: wav() })
  refusedWith(answer, 504, 'UPSTREAM_TIMEOUT', 'deepgram did not answer within 1 seconds')
  await until('the vendor is cancelled', () => wire.fake.open === 0)
  await until('it is settled', () => hurried.gateway.settled[0]?.seconds === 0)
})

test('a vendor is cancelled when its caller is gone, and nothing is paid', async () => {
  grantWire()
  wire.fake.mode = 'hang'
  const left = new AbortController()
  const asking = transcribe(speech.url, { file: wav() }, { signal: left.signal })
  await until('the vendor is asked', () => wire.fake.open === 1)
  const settled = speech.gateway.settled.length
  left.abort()
  await assert.rejects(asking)
  await until('the vendor is cancelled', () => wire.fake.open === 0, 2_000)
  await until('it is settled', () => speech.gateway.settled.length > settled)
  assert.ok(!speech.log().includes('"level":"error"'))
  assert.equal(speech.gateway.settled.at(-1)?.seconds, 0)
})

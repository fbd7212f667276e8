import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { TestOrg } from '@switchroom/gateway/testing/deployment'
import { until } from '@switchroom/gateway/testing/until'
import { changeRow } from '@switchroom/gateway/testing/providers/vendors'
import OpenAI, { toFile } from 'openai'
import { startTranscriberWire } from '../../testing/transcriber-wire.ts'
import { transcribe } from '../../testing/form-caller.ts'
import { LiveClient } from '../../testing/live-client.ts'
import { recording } from '@switchroom/kit/testing/recordings'
import { refusedWith, startVoiceDeployment } from '../../testing/voice-deployment.ts'

// Real gateway, real voice server, and the wire of one vendor.

const wire = await startTranscriberWire()
const voice = await startVoiceDeployment({
  SVC_PROVIDER_KEY_DEEPGRAM: 'dg-of-the-platform',
  SVC_RATE_TRANSCRIPTIONS: '8',
  SVC_RATE_STREAMS: '8',
})
await changeRow(voice.deployment, (row) => {
  row.options = { ...row.options, 'stt/deepgram': { base_url: wire.fake.url } }
})
after(async () => {
  await voice[Symbol.asyncDispose]()
  await wire.fake.stop()
})

const perMinute = 0.77
const wav = () => ({ bytes: recording('fox.wav') })
const stream = (key: string | undefined, query = '') =>
  new LiveClient(voice.url, query, { authorization: `Bearer ${key}` })

async function newCaller() {
  const org = await voice.deployment.newOrg()
  const { key = '' } = await voice.caller(org)
  return { org, key }
}

async function changeAccount(org: TestOrg, change: object) {
  const path = `/v1/ops/orgs/${org.slug}/account`
  const { body } = await voice.deployment.operator.get(path)
  const { status, text } = await voice.deployment.operator.put(path, { ...body, ...change })
  assert.equal(status, 200, text)
}

const fallen = (org: TestOrg, from: number, by: number) =>
  until(`credits fell by ${by}`, async () => Math.abs(from - by - (await voice.creditsOf(org))) < 1e-6)

test('a recording is paid by its minutes, with the key of the platform (S-329, S-331, S-371, S-374)', async () => {
  const { org, key } = await newCaller()
  const before = await voice.creditsOf(org)
  wire.duration = 120
  const { body } = await transcribe(voice.url, { file: wav(), response_format: 'verbose_json' }, { key })
  assert.equal(body.model, 'deepgram/nova-3')
  assert.equal(body.duration, 120)
  assert.equal(wire.fake.seen.at(-1)?.headers.authorization, 'Token dg-of-the-platform')
  await fallen(org, before, 2 * perMinute)
})

test('live audio is paid when its stream ends, however it ends (S-343, S-371, SD-66)', async () => {
  const { org, key } = await newCaller()
  const before = await voice.creditsOf(org)
  const stopped = stream(key)
  assert.equal((await stopped.frame('ready'))['model'], 'deepgram/nova-3')
  stopped.send(Buffer.alloc(32_000 * 60))
  assert.equal((await stopped.stop())['billed_minutes'], 1)
  await fallen(org, before, perMinute)
  const left = stream(key)
  await left.frame('ready')
  left.send(Buffer.alloc(32_000 * 30))
  await until('it was heard', () => Buffer.concat(wire.streams.at(-1) ?? []).length === 32_000 * 30)
  left.socket.terminate()
  await fallen(org, before, 1.5 * perMinute)
})

test('on their own key neither costs anything here (S-372, S-375, S-383)', async () => {
  const { org, key } = await newCaller()
  const { client } = await org.person('admin')
  assert.equal((await client.put('/v1/provider-keys/deepgram', { key: 'dg-of-their-own' })).status, 200)
  await changeAccount(org, { credits: 0 })
  const { status } = await transcribe(voice.url, { file: wav() }, { key })
  assert.equal(status, 200)
  assert.equal(wire.fake.seen.at(-1)?.headers.authorization, 'Token dg-of-their-own')
  const live = stream(key)
  await live.frame('ready')
  live.send(Buffer.alloc(32_000))
  const { audio_seconds, billed_minutes } = await live.stop()
  assert.deepEqual([audio_seconds, billed_minutes], [1, 0])
  assert.equal(await voice.creditsOf(org), 0)
})

test('without credits the platform lends nothing, and local still listens (S-447, S-352, SD-66, SD-76)', async () => {
  const { org, key } = await newCaller()
  await changeAccount(org, { credits: 0 })
  const refused = await transcribe(voice.url, { file: wav() }, { key })
  assert.deepEqual([refused.status, refused.body.code], [402, 'INSUFFICIENT_CREDITS'])
  for (const query of ['', '?model=deepgram/nova-3', '?sample_rate=44100']) {
    const { status, body } = await stream(key, query).handshake
    assert.deepEqual([status, JSON.parse(body).code], [402, 'INSUFFICIENT_CREDITS'])
  }
  assert.equal((await stream(key, '?model=nosuch/x').refused()).code, 'BAD_MODEL')
  const { status } = await transcribe(voice.url, { file: wav(), model: 'local' }, { key })
  assert.equal(status, 200)
})

test('no subscription, no hearing, on either (S-446, S-352)', async () => {
  const { org, key } = await newCaller()
  await changeAccount(org, { subscribed: false })
  const refused = await transcribe(voice.url, 'no form', { key })
  assert.deepEqual([refused.status, refused.body.code], [402, 'SUBSCRIPTION_REQUIRED'])
  assert.equal((await stream(key).handshake).status, 402)
})

test('a key that is none is refused on both, and nothing of it is logged (S-366, S-444, S-445, S-352, SD-78)', async () => {
  const marked = 'svc_live_0000-marked-0000'
  const refused = await transcribe(voice.url, { file: wav() }, { key: marked })
  assert.deepEqual([refused.status, refused.body.code], [401, 'INVALID_KEY'])
  const { status, body } = await new LiveClient(voice.url, `?api_key=${marked}`, {}).handshake
  assert.deepEqual([status, JSON.parse(body).code], [401, 'INVALID_KEY'])
  const missing = await new LiveClient(voice.url, '', {}).handshake
  assert.deepEqual([missing.status, JSON.parse(missing.body).code], [401, 'MISSING_KEY'])
  assert.ok(!voice.speech.log().includes('marked'))
  assert.ok(!voice.deployment.log().includes('marked'))
})

test('a good key in the query opens a stream, and is in no log (S-350, S-351, SD-78)', async () => {
  const { key } = await newCaller()
  const client = new LiveClient(voice.url, `?api_key=${key}`, {})
  await client.frame('ready')
  await client.stop()
  assert.ok(!voice.speech.log().includes(key))
  assert.ok(!voice.deployment.log().includes(key))
})

test('what no vendor does is refused (S-348, S-442, S-443)', async () => {
  const { key } = await newCaller()
  const model = await transcribe(voice.url, { file: wav(), model: 'nosuch' }, { key })
  assert.deepEqual([model.status, model.body.code], [400, 'BAD_MODEL'])
  const speakers = await transcribe(voice.url, { file: wav(), model: 'local', diarize: 'true' }, { key })
  refusedWith(
    speakers,
    400,
    'DIARIZE_UNSUPPORTED',
    '`diarize`: local/moonshine-tiny does not tell speakers apart here',
  )
  assert.deepEqual(await stream(key, '?model=local&diarize=true').refused(), {
    code: 'DIARIZE_UNSUPPORTED',
    error: '`diarize`: local/moonshine-tiny does not tell speakers apart here',
    close: 1008,
  })
})

test('past the rate of a key both are refused, with when to come back (S-352, S-451, SD-68)', async () => {
  const { key } = await newCaller()
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => transcribe(voice.url, 'no form', { key })),
  )
  assert.equal(answers.filter(({ status }) => status === 400).length, 8)
  const late = answers.find(({ status }) => status === 429)
  assert.equal(late?.body.code, 'RATE_LIMITED')
  assert.ok(Number(late?.headers.get('retry-after')) > 0)
  const opens = Array.from({ length: 12 }, () => stream(key, '?sample_rate=1'))
  const statuses = await Promise.all(opens.map(async ({ handshake }) => (await handshake).status))
  assert.equal(statuses.filter((status) => status === 101).length, 8)
  assert.equal(statuses.filter((status) => status === 429).length, 4)
})

test('the client of the common endpoint transcribes here (S-341, S-342)', async () => {
  const { key } = await newCaller()
  const openai = new OpenAI({ apiKey: key, baseURL: `${voice.url}/v1`, maxRetries: 0 })
  const file = await toFile(recording('fox.mp3'), 'fox.mp3')
  const plain = await openai.audio.transcriptions.create({ file, model: 'local', language: 'en' })
  assert.match(plain.text, /brown/i)
  const verbose = await openai.audio.transcriptions.create({
    file,
    model: 'local',
    response_format: 'verbose_json',
    timestamp_granularities: ['word', 'segment'],
  })
  assert.ok((verbose.words ?? []).length > 5)
  const text = await openai.audio.transcriptions.create({ file, model: 'local', response_format: 'text' })
  assert.match(text, /brown/i)
  const streamed = await openai.audio.transcriptions.create({ file, model: 'local', stream: true })
  const events = await Array.fromAsync(streamed)
  const deltas = events.map((event) => (event.type === 'transcript.text.delta' ? event.delta : ''))
  assert.equal(deltas.join(''), plain.text, 'as it is heard, and whole')
  await assert.rejects(openai.audio.transcriptions.create({ file, model: 'nosuch' }), { status: 400 })
})

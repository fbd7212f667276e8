import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { until } from '@switchroom/gateway/testing/until'
import { LiveClient } from '../../testing/live-client.ts'
import { startLive } from '../../testing/live-server.ts'
import { startWithFakeGateway } from '../../testing/speech-server.ts'
import { refusedWith, VoiceCaller } from '../../testing/voice-deployment.ts'

let live: Awaited<ReturnType<typeof startLive>>
let grant: (typeof live)['gateway']['grant']

before(async () => {
  live = await startLive()
  grant = live.gateway.grant
})
after(() => live[Symbol.asyncDispose]())
beforeEach(() => {
  live.wire.fake.mode = 'answer'
  live.wire.partialEvery = Infinity
  live.gateway.refusals = {}
  live.gateway.grant = grant
})

const second = Buffer.alloc(32_000, 1)

async function opened(query = '', headers?: Record<string, string>): Promise<LiveClient> {
  const client = new LiveClient(live.url, query, headers)
  await client.frame('ready')
  return client
}

test('the first frame is ready, and says what was agreed on (S-003, S-147, S-289, S-349, S-408, SD-77)', async () => {
  const client = await opened('?model=deepgram/nova-3&language=es')
  const { headers } = await client.handshake
  assert.deepEqual(client.frames, [
    {
      type: 'ready',
      request_id: headers['x-svc-request-id'],
      model: 'deepgram/nova-3',
      sample_rate: 16_000,
      encoding: 'linear16',
      diarize: false,
    },
  ])
  assert.match(String(client.frames[0]?.['request_id']), /^req_[0-9a-f]{24}$/)
  const asked = {
    doing: 'streams',
    key_id: 'key_1',
    model: 'deepgram/nova-3',
    language: 'es',
    diarize: false,
  }
  assert.deepEqual(live.gateway.asked.at(-1), asked)
  await client.stop()
})

test('rates and encodings are taken as they are named (S-344, S-345, S-346, S-459)', async () => {
  for (const sample_rate of [8_000, 16_000, 24_000, 48_000])
    for (const encoding of ['linear16', 'mulaw']) {
      const client = await opened(`?sample_rate=${sample_rate}&encoding=${encoding}`)
      const ready = await client.frame('ready')
      assert.deepEqual([ready['sample_rate'], ready['encoding']], [sample_rate, encoding])
      const asked = live.wire.fake.seen.at(-1)?.url.searchParams
      assert.equal(asked?.get('sample_rate'), String(Math.min(sample_rate, 16_000)))
      client.send(Buffer.alloc(sample_rate * (encoding === 'mulaw' ? 1 : 2), 0xff))
      assert.equal((await client.stop())['audio_seconds'], 1)
    }
})

test('audio becomes partials and finals (S-148, S-353, S-409, S-410)', async () => {
  live.wire.partialEvery = 16_000
  const client = await opened()
  client.send(second)
  assert.deepEqual(await client.frame('partial'), { type: 'partial', text: 'so far' })
  client.say({ type: 'finalize' })
  const final = await client.frame('final')
  assert.deepEqual(Object.keys(final), ['type', 'text', 'start', 'end', 'language', 'words'])
  assert.deepEqual(final['words'], [
    { word: 'hello', start: 0.1, end: 0.4 },
    { word: 'there', start: 0.5, end: 0.9 },
  ])
  await client.stop()
})

test('finalize commits and the stream continues; with nothing to commit nothing comes (S-149, S-354, SD-77)', async () => {
  const client = await opened()
  client.say({ type: 'finalize' })
  client.send(second)
  client.say({ type: 'finalize' })
  assert.equal((await client.frame('final'))['text'], '32000 bytes')
  const seen = client.frames.length
  client.send(second.subarray(0, 1_000))
  client.say({ type: 'finalize' })
  assert.equal((await client.frame('final', seen))['text'], '1000 bytes')
  await client.stop()
  assert.deepEqual(
    client.frames.map(({ type }) => type),
    ['ready', 'final', 'final', 'done'],
  )
})

test('stop sends the last words, then done, then closes with 1000 (S-150, S-355, S-411, S-413, SD-77)', async () => {
  const client = await opened()
  client.send(second)
  client.send(second.subarray(0, 8_000))
  client.say({ type: 'stop' })
  client.send(second)
  client.say('what comes after a stop is not looked at')
  assert.equal(await client.closed, 1000)
  const [ready, final, done] = client.frames
  assert.equal(client.frames.length, 3)
  assert.equal(final?.['text'], '40000 bytes')
  assert.deepEqual(done, {
    type: 'done',
    request_id: ready?.['request_id'],
    audio_seconds: 1.25,
    billed_minutes: 0.0208,
  })
  await until('it is settled', () => live.gateway.settled.at(-1)?.seconds === 1.25)
})

test('on the key of the org nothing is billed (S-411, SD-77)', async () => {
  live.gateway.grant = (ask) => ({ ...grant(ask), is_own: true })
  const client = await opened()
  client.send(second)
  const { audio_seconds, billed_minutes } = await client.stop()
  assert.deepEqual([audio_seconds, billed_minutes], [1, 0])
})

test('speakers are sent if the client asks for them (S-347, S-410)', async () => {
  live.gateway.grant = (ask) => ({ ...grant(ask), knobs: { diarize: true } })
  const client = await opened('?diarize=true')
  assert.equal((await client.frame('ready'))['diarize'], true)
  client.send(second)
  await client.stop()
  const final = await client.frame('final')
  assert.equal(final['speaker'], 0)
  assert.deepEqual((final['words'] as { speaker: number }[])[0]?.speaker, 0)
})

test('arguments are judged on the socket, in order, without ready (S-151, S-345, S-346, S-347, S-412, S-414, SD-76)', async () => {
  const cases = {
    '?sample_rate=44100&encoding=opus': '`sample_rate` is 8000, 16000, 24000 or 48000',
    '?encoding=opus&diarize=maybe': '`encoding` is linear16 or mulaw',
    '?diarize=maybe&language=spanish': '`diarize` is true or false',
    '?language=spanish': '`language` is two small letters, such as en',
    '?sample_rate=16000&sample_rate=8000': '`sample_rate` is 8000, 16000, 24000 or 48000',
  }
  for (const [query, error] of Object.entries(cases)) {
    const client = new LiveClient(live.url, query)
    assert.equal((await client.handshake).status, 101)
    assert.deepEqual(await client.refused(), { code: 'BAD_REQUEST', error, close: 1008 })
    assert.equal(client.frames.length, 1)
  }
  await until('the grant is settled', () =>
    live.gateway.settled.some(
      ({ grant: id, seconds }) => id === `grant_${live.gateway.asked.length}` && seconds === 0,
    ),
  )
})

test('a model that is none, or hears no speakers, is refused on the socket (S-348, S-414, SD-76)', async () => {
  for (const code of ['BAD_MODEL', 'DIARIZE_UNSUPPORTED'] as const) {
    live.gateway.refusals = { grant: { status: 400, code, error: 'no such thing' } }
    const client = new LiveClient(live.url, '?model=x&diarize=true')
    assert.deepEqual(await client.refused(), { code, error: 'no such thing', close: 1008 })
    const both = new LiveClient(live.url, '?model=x&sample_rate=1')
    assert.equal((await both.refused()).code, 'BAD_REQUEST')
  }
  live.gateway.refusals = {}
  const client = new LiveClient(live.url, '?model=a%00b')
  assert.equal((await client.refused()).code, 'BAD_MODEL')
})

test('a bad key is refused before the upgrade (S-290, S-352, S-366, SD-76)', async () => {
  const refusals = [
    { status: 401, code: 'INVALID_KEY', error: 'no key is that' },
    { status: 402, code: 'SUBSCRIPTION_REQUIRED', error: 'this org has no subscription' },
    { status: 429, code: 'RATE_LIMITED', error: 'slow down', retry_after_s: 3 },
  ] as const
  for (const refusal of refusals) {
    live.gateway.refusals = { entry: refusal }
    const { status, body, headers } = await new LiveClient(live.url, '?sample_rate=1').handshake
    assert.deepEqual(
      [status, JSON.parse(body)],
      [refusal.status, { error: refusal.error, code: refusal.code }],
    )
    assert.match(String(headers['x-svc-request-id']), /^req_/)
    assert.equal(headers['retry-after'], 'retry_after_s' in refusal ? '3' : undefined)
  }
  live.gateway.refusals = {
    grant: { status: 402, code: 'INSUFFICIENT_CREDITS', error: 'no credits are left' },
  }
  for (const query of ['', '?sample_rate=44100']) {
    const { status, body } = await new LiveClient(live.url, query).handshake
    assert.deepEqual([status, JSON.parse(body).code], [402, 'INSUFFICIENT_CREDITS'])
  }
})

test('the key is in the header, or in the query if there is no header (S-349, S-350, S-351, SD-78)', async () => {
  const keys = () => live.gateway.entries.at(-1)?.key
  await (await opened('?api_key=marked-in-the-query', {})).stop()
  assert.equal(keys(), 'marked-in-the-query')
  await (await opened('?api_key=marked-in-the-query', { authorization: 'bearer of-the-header' })).stop()
  assert.equal(keys(), 'of-the-header')
  for (const [query, headers] of [
    ['?api_key=marked-in-the-query', { authorization: 'Basic marked-in-the-query' }],
    ['?api_key=', {}],
    ['?api_key=a&api_key=b', {}],
    ['', {}],
  ] as const) {
    const { status, body } = await new LiveClient(live.url, query, { ...headers }).handshake
    assert.deepEqual([status, JSON.parse(body).code], [401, 'MISSING_KEY'])
  }
  assert.ok(!live.log().includes('marked-in-the-query'))
})

test('a request that is no WebSocket is refused', async () => {
  const answer = await fetch(`${live.url}/v1/audio/transcriptions/stream`, {
    headers: { authorization: 'Bearer x' },
  })
  assert.equal(answer.status, 426)
  assert.equal(((await answer.json()) as { code: string }).code, 'UPGRADE_REQUIRED')
})

test('a text frame that is none of the two ends the stream (S-414, SD-76)', async () => {
  for (const text of ['no JSON', '{"type": "keepalive"}']) {
    const client = await opened()
    client.send(second)
    client.say(text)
    assert.deepEqual(await client.refused(), {
      code: 'BAD_REQUEST',
      error: 'a text frame is {"type": "finalize"} or {"type": "stop"}',
      close: 1008,
    })
  }
  await until('all audio is settled, whatever ended it', () => live.gateway.settled.at(-1)?.seconds === 1)
})

test('too many text frames end the stream (S-414, SD-76)', async () => {
  const client = await opened()
  for (let count = 0; count <= 100; count += 1) client.say({ type: 'finalize' })
  const { code, close } = await client.refused()
  assert.deepEqual([code, close], ['RATE_LIMITED', 1008])
})

test('a client that leaves takes its vendor along, and pays for what it sent (S-413, SD-77)', async () => {
  const client = await opened()
  client.send(second)
  await until('the vendor heard it', () => live.wire.streams.at(-1)?.length !== 0)
  client.socket.close(1000)
  assert.equal(await client.closed, 1000)
  await until('the vendor is cancelled', () => live.wire.fake.open === 0)
  await until('it is settled', () => live.gateway.settled.at(-1)?.seconds === 1)
  assert.deepEqual(
    client.frames.map(({ type }) => type),
    ['ready'],
  )
})

test('a vendor that refuses, breaks or cannot be reached ends the stream with 1011 (S-151, S-415, SD-76)', async () => {
  live.wire.fake.mode = 'refuse'
  const refused = new LiveClient(live.url)
  assert.deepEqual(await refused.refused(), {
    code: 'UPSTREAM_ERROR',
    error: 'deepgram refused: the fake says no',
    close: 1011,
  })
  assert.equal(refused.frames.length, 1)
  live.wire.fake.mode = 'break'
  live.wire.partialEvery = 16_000
  const broken = await opened()
  broken.send(second)
  assert.match(String((await broken.refused()).error), /^deepgram did not answer: it broke off/)
  live.gateway.grant = (ask) => ({ ...grant(ask), options: { base_url: 'http://127.0.0.1:9' } })
  assert.equal((await new LiveClient(live.url).refused()).close, 1011)
  await until('audio that was not heard costs nothing', () => live.gateway.settled.at(-1)?.seconds === 0)
})

test('a client that asks over HTTP is told where sockets are opened, if that is set (S-003, SD-01)', async () => {
  for (const [settings, where] of [
    [{}, ''],
    [{ SVC_WS_URL: 'wss://live.example/' }, ' at wss://live.example/v1/audio/transcriptions/stream'],
  ] as const) {
    await using apart = await startWithFakeGateway(settings)
    const answer = await new VoiceCaller(apart.url, 'any').get('/v1/audio/transcriptions/stream')
    refusedWith(answer, 426, 'UPGRADE_REQUIRED', `live transcription is opened as a WebSocket${where}`)
  }
})

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { until } from '@switchroom/gateway/testing/until'
import { startWithFakeGateway } from '../../testing/speech-server.ts'
import { refusedWith, VoiceCaller, wholeOf } from '../../testing/voice-deployment.ts'
import { VoiceWire } from '../../testing/voice-wire.ts'

const speech = await startWithFakeGateway()
after(() => speech[Symbol.asyncDispose]())
const { gateway } = speech
const caller = new VoiceCaller(speech.url, 'svc_live_marked-key')

test('an unknown path is 404 and a wrong method 405, in the shape of this server (S-436, ST-090, SD-01, SD-67)', async () => {
  for (const path of ['/', '/v1/whoami', '/v1/audio', '/api/rates/models', '/%zz'])
    refusedWith(await caller.get(path), 404, 'NOT_FOUND', `there is no door at ${path}`)
  const wrong = await caller.get('/v1/audio/speech?api_key=marked')
  refusedWith(wrong, 405, 'METHOD_NOT_ALLOWED', '/v1/audio/speech does not take GET')
  assert.equal(wrong.headers.get('allow'), 'POST')
  for (const method of ['POST', 'DELETE', 'PUT'])
    refusedWith(
      await wholeOf(await caller.send('/v1/audio/voices', { method })),
      405,
      'METHOD_NOT_ALLOWED',
      `/v1/audio/voices does not take ${method}`,
    )
})

test('every answer has an id of its own, also to what is no request at all (SD-67)', async () => {
  const ids = new Set<string>()
  for (const path of ['/v1/audio/voices', '/v1/audio/voices', '/nowhere'])
    ids.add((await caller.get(path)).headers.get('x-svc-request-id') ?? '')
  assert.equal(ids.size, 3)
  const answer = await new Promise<string>((resolve) => {
    const socket = connect(Number(new URL(speech.url).port), '127.0.0.1', () =>
      socket.write('garbage\r\n\r\n'),
    )
    let text = ''
    socket.on('data', (chunk) => (text += String(chunk))).once('close', () => resolve(text))
  })
  assert.match(answer, /^HTTP\/1.1 400 Bad Request\r\n/)
  assert.match(answer, /\r\nX-Svc-Request-Id: req_[0-9a-f]{24}\r\n/)
  assert.ok(answer.endsWith('\r\n\r\n{"error":"that is not an HTTP request","code":"BAD_REQUEST"}'), answer)
})

test('a gateway that restarted is asked again; one that does not answer is a 503', async () => {
  gateway.failures = 1
  assert.equal((await caller.get('/v1/audio/voices')).status, 200)
  gateway.failures = 2
  const sentence = 'the gateway does not answer: try again in a moment'
  refusedWith(await caller.get('/v1/audio/voices'), 503, 'UNAVAILABLE', sentence)
  assert.equal((await caller.get('/v1/audio/voices')).status, 200)
})

test('a caller that hangs up before the first sound leaves no failure in the log', async () => {
  const wire = await new VoiceWire().start()
  after(() => wire.stop())
  wire.answer = () => {}
  gateway.grant = () => ({ vendor: 'openai', options: { base_url: wire.url }, credentials: { api_key: 'x' } })
  const leaving = new AbortController()
  const answer = caller.speak({ input: 'Hello.', voice: 'x' }, { signal: leaving.signal })
  await until('the vendor is asked', () => wire.asked > 0)
  leaving.abort()
  await assert.rejects(answer)
  await until('it is over', () => wire.open === 0 && gateway.settled.length > 0)
  await until('it is logged', () => speech.log().includes('"msg":"cut off"'))
  assert.equal(speech.log().includes('a request failed'), false)
  gateway.grant = () => ({})
})

test('a voice server says that it runs, without a key', async () => {
  const { status, body } = await new VoiceCaller(speech.url).get('/healthz')
  assert.deepEqual([status, body], [200, { status: 'ok' }])
})

test('no key and no query is in any log line (S-351, SD-78)', async () => {
  await caller.get('/v1/audio/voices?provider=marked-query')
  await caller.get('/v1/nowhere/marked-path?x=marked-query')
  await caller.speech({ input: 'marked-input', voice: 'marked-voice' })
  for (const mark of [
    'marked-key',
    'marked-query',
    'marked-path',
    'marked-input',
    'marked-voice',
    'svc_fleet',
  ])
    assert.equal(speech.log().includes(mark), false, `${mark} is in the log`)
  assert.match(speech.log(), /"route":"\/v1\/audio\/voices","status":200/)
})

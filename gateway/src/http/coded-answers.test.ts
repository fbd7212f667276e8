import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { refused, refusedWithCode } from '../../testing/client.ts'
import { operatorKey, startDeployment } from '../../testing/deployment.ts'
import { tooMany } from '../foundation/refusals.ts'
import { codedAnswers } from './coded-answers.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { dashboard, anonymous, gateway } = deployment
const org = await deployment.newOrg()
const { key } = await org.person('admin')

const json = { 'content-type': 'application/json' }
const put = (body: string, headers = json) =>
  dashboard.as(key).raw('/api/credentials', { method: 'PUT', headers, body })

test('on the dashboard an unknown path is 404 and a wrong method 405, as {error, code} (SD-01, SD-02, ST-090)', async () => {
  refusedWithCode(
    await dashboard.get('/api/nothing?x=1'),
    404,
    'NOT_FOUND',
    'there is no door at /api/nothing',
  )
  refusedWithCode(await dashboard.get('/api/%E0%A4%A'), 404, 'NOT_FOUND', 'there is no door at /api/%E0%A4%A')
  const answer = await dashboard.post('/api/credentials')
  refusedWithCode(answer, 405, 'METHOD_NOT_ALLOWED', '/api/credentials does not take POST')
  assert.equal(answer.headers.get('allow'), 'PUT')
})

test('each listener serves its own paths alone, and answers the others in its own shape (SD-01, SD-02, ST-090)', async () => {
  const dashboardPaths = gateway.dashboard.routes.all.map(({ path }) => path)
  assert.deepEqual([...new Set(dashboardPaths)].toSorted(), [
    '/api/credentials',
    '/api/models/access',
    '/api/rates/models',
  ])
  for (const path of dashboardPaths) refused(await anonymous.get(path), 404, `there is no door at ${path}`)
  for (const path of ['/v1/whoami', '/healthz', '/metrics', '/openapi.json', '/'])
    refusedWithCode(await dashboard.as(key).get(path), 404, 'NOT_FOUND', `there is no door at ${path}`)
})

test('on the dashboard a broken body, a missing field and a wrong type are 400 BAD_REQUEST (SD-02, ST-090)', async () => {
  for (const body of ['{"provider":', 'nonsense', '[]', '', 'null'])
    refusedWithCode(await put(body), 400, 'BAD_REQUEST', 'body: must be a JSON object')
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const asJson = 'body: must be a JSON object, sent with the content-type application/json'
  refusedWithCode(await put('provider=x', form), 400, 'BAD_REQUEST', asJson)
  refusedWithCode(await put('{"provider": "x"}'), 400, 'BAD_REQUEST', 'apiKey: is required')
  refusedWithCode(
    await put('{"provider": 7, "apiKey": "k"}'),
    400,
    'BAD_REQUEST',
    'provider: must be a string',
  )
  const missing = await dashboard.as(key).get('/api/models/access?service=stt')
  refusedWithCode(missing, 400, 'BAD_REQUEST', 'model: is required')
})

test('on the dashboard a body that is too large is 413 (SD-02)', async () => {
  const body = JSON.stringify({ provider: 'x', apiKey: 'x'.repeat(1024 * 1024) })
  refusedWithCode(await put(body), 413, 'BODY_TOO_LARGE', 'that body is too large')
})

test('on the dashboard no key is MISSING_KEY, and one that opens nothing is INVALID_KEY (SD-02)', async () => {
  const at = '/api/models/access?service=stt&model=x'
  const takesKey = 'this door takes an API key'
  const missing = await dashboard.get(at)
  refusedWithCode(missing, 401, 'MISSING_KEY', takesKey)
  assert.equal(missing.headers.get('www-authenticate'), 'Bearer')
  for (const authorization of ['', 'Bearer', 'Basic YTpi', key])
    refusedWithCode(await dashboard.with({ authorization }).get(at), 401, 'MISSING_KEY', takesKey)
  for (const strange of ['invented', operatorKey])
    refusedWithCode(await dashboard.as(strange).get(at), 401, 'INVALID_KEY', 'this key opens nothing')
  const expires_at = new Date(deployment.clock.now().getTime() + 60_000).toISOString()
  const short = await org.serverToken('sandbox', { expires_at })
  assert.equal((await dashboard.as(short.key).get(at)).status, 200)
  deployment.clock.forward(60_001)
  const expired = `this key expired at ${expires_at}`
  refusedWithCode(await dashboard.as(short.key).get(at), 401, 'INVALID_KEY', expired)
})

test('a key minted or revoked at the gateway is so at once on the dashboard (SD-01)', async () => {
  const at = '/api/models/access?service=stt&model=x'
  const { key: token, key_id, client } = await org.serverToken('sandbox')
  assert.equal((await dashboard.as(token).get(at)).status, 200)
  assert.equal((await client.post(`/v1/keys/${key_id}/revoke`)).status, 200)
  refusedWithCode(await dashboard.as(token).get(at), 401, 'INVALID_KEY', 'this key opens nothing')
})

test('on the dashboard a scope that is lacking is 403 FORBIDDEN (SD-02)', async () => {
  const { key: qa } = await org.person('qa')
  refusedWithCode(
    await dashboard.as(qa).put('/api/credentials', { provider: 'x', apiKey: 'k' }),
    403,
    'FORBIDDEN',
    'this key does not open providers or app: it opens calls · evals',
  )
})

test('on the dashboard a failure is 500 INTERNAL_ERROR that gives no details and names no key (SD-02)', async () => {
  await using own = await startDeployment()
  const { key: held } = await (await own.newOrg()).person('admin')
  await own.sql('alter table accounts rename to accounts_gone')
  const { models } = (await own.dashboard.get('/api/rates/models')).body
  const answer = await fetch(
    `http://127.0.0.1:${own.gateway.dashboardPort}/api/models/access?service=${models[0].service}&model=${models[0].model}`,
    { headers: { authorization: `Bearer ${held}` } },
  )
  const body = await answer.json()
  assert.deepEqual(
    [answer.status, body],
    [500, { error: 'something broke on our side', code: 'INTERNAL_ERROR' }],
  )
  assert.ok(own.log().includes('a request failed') && !own.log().includes(held))
})

test('on the dashboard too many tries are RATE_LIMITED (SD-02)', () => {
  const refusal = tooMany('too many of these: wait a minute', 60)
  assert.equal(codedAnswers.statusOf(refusal.status), 429)
  assert.deepEqual(codedAnswers.bodyOf(refusal), { error: refusal.message, code: 'RATE_LIMITED' })
})

test('what is not HTTP is answered on the dashboard in its shape (SD-02)', async () => {
  const answered = await new Promise<string>((resolve, reject) => {
    let text = ''
    const socket = connect(gateway.dashboardPort, '127.0.0.1', () => socket.write('not http at all\r\n\r\n'))
    socket.on('data', (chunk) => (text += String(chunk)))
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })
  assert.match(answered, /^HTTP\/1\.1 400 Bad Request\r\n/)
  assert.match(answered, /\{"error":"that is not an HTTP request","code":"BAD_REQUEST"\}$/)
})

test('answers of the dashboard may not be stored, and are counted and logged by their route', async () => {
  const answer = await dashboard.get('/api/rates/models')
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.match(answer.headers.get('x-request-id') ?? '', /^req_[0-9a-f]{12}_\d+$/)
  const { text } = await deployment.metrics.get('/metrics')
  assert.match(
    text,
    /svc_http_request_seconds_count\{method="GET",route="\/api\/rates\/models",status="200"\} \d+/,
  )
  assert.ok(deployment.log().includes('"route":"/api/rates/models"'))
})

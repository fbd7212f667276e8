import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { refused } from '../../testing/client.ts'
import { startDeployment } from '../../testing/deployment.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { anonymous, operator, url } = deployment

const json = { 'content-type': 'application/json' }
const sent = (body: string, headers: Record<string, string> = json) =>
  operator.raw('/v1/ops/orgs', { method: 'POST', headers, body })

test('an unknown path is 404 and names it without its query (I-010, I-011, ID-04, T-90)', async () => {
  refused(await anonymous.get('/v1/nothing?secret=hunter2'), 404, 'there is no door at /v1/nothing')
  refused(await anonymous.post('/v1/ops/orgs/'), 404, 'there is no door at /v1/ops/orgs/')
})

test('a known path with another method is 405 and says which it takes (ID-04, T-90)', async () => {
  const answer = await anonymous.delete('/v1/whoami?x=1')
  refused(answer, 405, '/v1/whoami does not take DELETE')
  assert.equal(answer.headers.get('allow'), 'GET, HEAD')
  refused(
    await anonymous.send('OPTIONS', '/v1/ops/orgs/acme'),
    405,
    '/v1/ops/orgs/acme does not take OPTIONS',
  )
})

test('a body that is not a JSON object is 422 (ID-02, I-476, T-90)', async () => {
  for (const body of [
    '{"slug":',
    'nonsense',
    '[]',
    '"text"',
    '3',
    'null',
    '{"__proto__": {}}',
    '{"constructor": {"prototype": {}}}',
  ])
    refused(await sent(body), 422, 'body: must be a JSON object')
  refused(await sent(''), 422, 'body: must be a JSON object')
  const form = await sent('slug=acme', { 'content-type': 'application/x-www-form-urlencoded' })
  refused(form, 422, 'body: must be a JSON object, sent with the content-type application/json')
})

test('a missing field, a wrong type and a null are 422 and name the field (ID-02, ID-12)', async () => {
  refused(await sent('{}'), 422, 'slug: is required')
  refused(await sent('{"slug": 7}'), 422, 'slug: must be a string')
  refused(await sent('{"slug": null}'), 422, 'slug: must be a string')
  refused(await sent('{"slug": "a", "name": ["b"]}'), 422, 'name: must be a string')
  const quotas = {
    minutes: 1.5,
    messages: null,
    agents: null,
    concurrent_calls: null,
    numbers: null,
    seats: null,
  }
  refused(await operator.put('/v1/ops/orgs/x/quotas', quotas), 422, 'minutes: must be a whole number or null')
  refused(
    await operator.post('/v1/ops/orgs/x/members', { email: 'a@b.c', agents: ['a', 1] }),
    422,
    'agents.1: must be a string',
  )
})

test('an unknown field is ignored (ID-02)', async () => {
  assert.equal((await sent('{"slug": "ignorant", "colour": "red"}')).status, 201)
})

test('a body over 1 MiB is 413 (ID-04)', async () => {
  refused(await sent(JSON.stringify({ slug: 'x'.repeat(1024 * 1024) })), 413, 'that body is too large')
})

test('a NUL character is refused in a sentence, and one in a path finds nothing', async () => {
  refused(
    await sent('{"slug": "ab", "name": "a\\u0000b"}'),
    400,
    'a NUL character cannot be kept: leave it out',
  )
  assert.equal((await sent(String.raw`{"slug": "backslash", "name": "a\\u0000b"}`)).status, 201)
  refused(await operator.get('/v1/ops/orgs/a%00b'), 404, 'there is no door at /v1/ops/orgs/a%00b')
  refused(await operator.get('/v1/ops/orgs/%E0%A4%A'), 404, 'there is no door at /v1/ops/orgs/%E0%A4%A')
})

test('the order of checks: route, shut doors, key, environment, shape (ID-05)', async () => {
  refused(
    await anonymous.with({ 'svc-env': 'x' }).post('/v1/ops/orgs', []),
    401,
    'this door takes an API key',
  )
  refused(
    await operator.with({ 'svc-env': 'x' }).post('/v1/ops/orgs', []),
    400,
    'svc-env is sandbox or production',
  )
  refused(await operator.post('/v1/ops/orgs', []), 422, 'body: must be a JSON object')
})

test('an unhandled failure says nothing of its cause, and the log holds it under the request id (ID-04, T-90)', async () => {
  await using own = await startDeployment()
  await own.sql('alter table orgs rename column name to title')
  const answer = await fetch(`${own.url}/v1/ops/orgs`, {
    headers: { authorization: `Bearer ${own.settings.operatorKey}` },
  })
  assert.equal(answer.status, 500)
  assert.deepEqual(await answer.json(), { detail: 'something broke on our side', code: 'INTERNAL_ERROR' })
  const id = answer.headers.get('x-request-id')
  assert.match(id ?? '', /^req_[0-9a-f]{12}_\d+$/)
  const line = own
    .log()
    .split('\n')
    .find((text) => text.includes('a request failed'))
  assert.ok(line?.includes(`"reqId":"${id}"`) && line.includes('column \\"name\\" does not exist'))
})

test('every /v1 answer may not be stored, and no cross-origin header is ever sent (ID-23)', async () => {
  for (const path of ['/v1/whoami', '/v1/nothing', '/v1/ops/whoami']) {
    const answer = await anonymous.with({ origin: 'https://evil.example' }).get(path)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.equal(
      [...answer.headers.keys()].some((name) => name.startsWith('access-control')),
      false,
    )
  }
})

test('what is not HTTP is answered in the same shape, and the next request is served', async () => {
  const answered = await new Promise<string>((resolve, reject) => {
    let text = ''
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () =>
      socket.write('not http at all\r\n\r\n'),
    )
    socket.on('data', (chunk) => (text += String(chunk)))
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })
  assert.match(answered, /^HTTP\/1\.1 400 /)
  assert.match(answered, /\{"detail":"that is not an HTTP request","code":"BAD_REQUEST"\}$/)
  assert.equal((await anonymous.get('/healthz')).status, 200)
})

test('paths are under /v1, but for discovery, pages and what serves the process itself (I-529, N-536)', () => {
  const { routes } = deployment.gateway.server
  const outside = routes.all.map(({ path }) => path).filter((path) => !path.startsWith('/v1/'))
  const doors = ['/', '/cli', '/invitations/:token', '/sign-up', '/forgotten-password']
  const screens = ['/team', '/audit', '/keys', '/provider-keys', '/model-endpoints', '/webhooks', '/judging']
  const settings = ['/publishable-keys', '/single-sign-on', '/mailbox']
  const places = ['/sandbox', '/production', '/agents', '/calls', '/numbers', '/threads', '/platform']
  const pages = [...doors, ...screens, ...settings, ...places, ...places.map((place) => `${place}/*`)]
  const assets = ['/assets/:asset', '/embed/:asset', '/docs', '/docs/:asset', '/docs/start.js']
  const process = ['/.well-known/svc', '/healthz', '/openapi-workers.json', '/openapi.json', '/readyz']
  assert.deepEqual([...new Set(outside)].toSorted(), [...pages, ...assets, ...process].toSorted())
})

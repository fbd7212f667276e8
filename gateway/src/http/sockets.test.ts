import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { after, test } from 'node:test'
import { AppClient } from '../../testing/agents/app-client.ts'
import { startDeployment } from '../../testing/deployment.ts'
import { makeServer } from './make-server.ts'
import { gatewayAnswers } from './answers.ts'
import { open, scope } from './access.ts'
import { Registry } from 'prom-client'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { url, anonymous } = deployment
const org = await deployment.newOrg()
const developer = await org.person('developer')

/** Asks to upgrade, and answers what came instead. */
async function askUpgrade(method: string, path: string, upgrade: string) {
  const headers = {
    authorization: `Bearer ${developer.key}`,
    connection: 'upgrade',
    upgrade,
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  }
  const asked = request(url + path, { method, headers })
  asked.end()
  const [response] = await once(asked, 'response')
  const text = Buffer.concat(await response.toArray()).toString()
  return { status: response.statusCode, body: JSON.parse(text) }
}

test('an upgrade request to a path without a socket is answered like any other request', async () => {
  const whoami = await askUpgrade('GET', '/v1/whoami', 'websocket')
  assert.deepEqual([whoami.status, whoami.body.subject], [200, developer.id])
  const apps = await askUpgrade('GET', '/v1/apps', 'h2c')
  assert.deepEqual([apps.status, apps.body], [200, { apps: [] }])
  const post = await askUpgrade('POST', '/v1/apps', 'websocket')
  assert.deepEqual(
    [post.status, post.body],
    [405, { detail: '/v1/apps does not take POST', code: 'METHOD_NOT_ALLOWED' }],
  )
})

test('a socket is refused before the upgrade, in the shape of every refusal (SD-44, I-009, ID-05)', async () => {
  const refusal = async (client: typeof anonymous, path = '/v1/apps') => {
    const opened = await client.open(path)
    assert.ok('status' in opened, 'the socket was opened')
    return [opened.status, JSON.parse(opened.text).detail]
  }
  assert.deepEqual(await refusal(anonymous), [401, 'this door takes an API key'])
  assert.deepEqual(await refusal(anonymous.as('svc_live_invented')), [401, 'this key opens nothing'])
  const qa = await org.person('qa')
  assert.deepEqual(await refusal(qa.client), [403, 'this key does not open app: it opens calls · evals'])
  assert.deepEqual(await refusal(developer.client.in('production')), [
    403,
    'A developer has no production access: an admin gives it in Team',
  ])
  const token = await org.serverToken('production')
  assert.deepEqual(await refusal(token.client.in('sandbox')), [403, 'this token was made for production'])
  const staging = developer.client.with({ 'svc-env': 'staging' })
  assert.deepEqual(await refusal(staging), [400, 'svc-env is sandbox or production'])
  const narrowed = await org.person('developer', { agents: ['sales'] })
  const elsewhere = await refusal(narrowed.client, '/v1/apps?agent=support')
  assert.deepEqual(elsewhere, [403, 'this key works on sales alone'])
})

test('a key that opens app alone holds agents and does not list them, and the other way round (SD-44)', async () => {
  const app = await org.serverToken('sandbox', { scopes: ['app'] })
  const calls = await org.serverToken('sandbox', { scopes: ['calls'] })
  const socket = await AppClient.connect(url, app.key)
  assert.equal((await app.client.get('/v1/apps')).status, 403)
  assert.equal((await app.client.get('/v1/agents')).status, 403)
  assert.equal((await calls.client.get('/v1/apps')).status, 200)
  assert.equal((await calls.client.get('/v1/agents')).status, 200)
  const refused = await calls.client.open('/v1/apps')
  assert.equal('status' in refused && refused.status, 403)
  await socket.close()
})

test('a sentence too long for a close is cut after a whole character (ID-170)', async () => {
  const { body } = await deployment.operator.post(`/v1/ops/orgs/${org.slug}/members`, {
    email: 'long@example.com',
    name: `aa${'é'.repeat(98)}`,
    role: 'developer',
    production: true,
  })
  const accepted = await anonymous.post(`/v1/invitations/${body.token}`, {
    password: 'correct horse battery',
  })
  const app = await AppClient.connect(url, accepted.body.key, 'production')
  await deployment.sql('update members set production = false where id = $1', [body.member.id])
  const [code, reason] = await app.closed
  assert.deepEqual([code, reason], [1008, `aa${'é'.repeat(60)}`])
})

test('a path that is open without a key cannot be a socket of a key', () => {
  const { services } = deployment.gateway
  const server = makeServer({ ...services, metrics: new Registry(), answers: gatewayAnswers })
  const route = { access: open, socketAccess: scope('app') }
  assert.throws(() => server.get('/v1/probe', route, async () => ({})), {
    message: '/v1/probe would accept sockets without a key',
  })
})

test('the document says who may open the socket', async () => {
  const { get } = (await anonymous.get('/openapi.json')).body.paths['/v1/apps']
  assert.match(get.description, /Takes a key that opens `calls`\./)
  assert.match(get.description, /As a WebSocket: Takes a key that opens `app`\./)
  assert.deepEqual(Object.keys(get.responses), ['200', '400', '401', '403', '503'])
})

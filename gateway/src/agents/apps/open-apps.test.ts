import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Registry } from 'prom-client'
import { WebSocket } from 'ws'
import { AppClient } from '../../../testing/agents/app-client.ts'
import type { Client } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { until } from '../../../testing/until.ts'
import { hourMs, secondMs } from '../../foundation/clock.ts'
import { gatewayAnswers } from '../../http/answers.ts'
import { makeServer } from '../../http/make-server.ts'
import { serveSockets } from '../../http/sockets.ts'
import { OpenConnections } from '../../http/open-connections.ts'
import { appBeats, AppSockets } from './app-sockets.ts'
import { appRoutes } from './apps.routes.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { url, operator, sql, clock } = deployment
const org = await deployment.newOrg()
const ci = await org.serverToken('sandbox')
const admin = await org.person('admin')
const nothing = [1008, 'this key opens nothing']

const entryOf = async (client: Client, agent: string) =>
  (await client.get('/v1/agents')).body.agents.find((entry: { agent: string }) => entry.agent === agent)
const isHeld = async (client: Client, agent: string): Promise<boolean> =>
  (await entryOf(client, agent))?.held ?? false

/** Closed within the five seconds that a dead key has. */
async function closedInTime(app: AppClient, sinceMs: number) {
  const closed = await app.closed
  assert.ok(Date.now() - sinceMs < 5 * secondMs)
  return closed
}

test('the sockets of a revoked, expired, disabled or removed key are closed within 5 s, and no others (ID-87, T-28)', async () => {
  const [disabled, removed] = [await org.person('developer'), await org.person('developer')]
  const revoked = await org.serverToken('sandbox')
  const inAnHour = new Date(clock.now().getTime() + hourMs).toISOString()
  const expiring = await org.serverToken('sandbox', { expires_at: inAnHour })
  const keys = [revoked, disabled, removed, expiring, ci].map(({ key }) => key)
  const apps = await Promise.all(keys.map((key) => AppClient.connect(url, key)))
  const [first, second, third, fourth, living] = apps as [
    AppClient,
    AppClient,
    AppClient,
    AppClient,
    AppClient,
  ]
  for (const [i, app] of apps.entries()) await app.register(`agent-${i}`)
  const diedMs = Date.now()
  await admin.client.post(`/v1/keys/${revoked.key_id}/revoke`)
  await admin.client.patch(`/v1/members/${disabled.id}`, { status: 'disabled' })
  await admin.client.delete(`/v1/members/${removed.id}`)
  assert.deepEqual(await Promise.all([first, second, third].map((app) => closedInTime(app, diedMs))), [
    nothing,
    nothing,
    nothing,
  ])
  clock.forward(2 * hourMs)
  assert.deepEqual(await closedInTime(fourth, Date.now()), nothing)
  await until('its agent is released', async () => !(await isHeld(ci.client, 'agent-3')))
  assert.equal((await living.register('still-there')).type, 'agent.registered')
  await living.close()
})

test('a dead key registers nothing, not even before its socket is closed (ID-87, T-28)', async () => {
  const token = await org.serverToken('sandbox')
  const app = await AppClient.connect(url, token.key)
  await app.register('before-death')
  await sql('update keys set revoked_at = now() where id = $1', [token.key_id])
  app.send({ type: 'agent.register', agent: 'after-death' })
  assert.deepEqual(await app.closed, nothing)
  assert.equal(app.frames.length, 1)
  assert.equal(await entryOf(ci.client, 'after-death'), undefined)
})

test('a person who may no longer act in production, or no longer hold agents, loses the socket with the sentence (ID-87)', async () => {
  const [live, changed] = [await org.person('developer', { production: true }), await org.person('developer')]
  const production = await AppClient.connect(url, live.key, 'production')
  const sandbox = await AppClient.connect(url, live.key)
  const app = await AppClient.connect(url, changed.key)
  const changedMs = Date.now()
  await admin.client.patch(`/v1/members/${live.id}`, { production: false })
  await admin.client.patch(`/v1/members/${changed.id}`, { role: 'qa' })
  assert.deepEqual(await closedInTime(production, changedMs), [
    1008,
    'A developer has no production access: an admin gives it in Team',
  ])
  assert.deepEqual(await closedInTime(app, changedMs), [
    1008,
    'this key does not open app: it opens calls · evals',
  ])
  assert.equal((await sandbox.register('sandboxed')).type, 'agent.registered')
  await sandbox.close()
})

test('an agent outside the list is refused before the frame is judged, and the socket stays open (I-303, I-304, I-314, ID-170, T-32)', async () => {
  const narrowed = await org.person('developer', { agents: ['billing', 'sales'] })
  const app = await AppClient.connect(url, narrowed.key)
  const refused = {
    type: 'error',
    agent: 'support',
    code: 'AGENT_NOT_ALLOWED',
    detail: 'this key works on billing · sales alone',
  }
  assert.deepEqual(await app.register('support'), refused)
  assert.deepEqual(await app.register('support', { declares: 7 }), refused)
  assert.deepEqual(await app.register('No Slug'), { ...refused, agent: 'No Slug' })
  assert.equal((await app.register('sales')).type, 'agent.registered')
  assert.equal((await app.register('sales', { declares: 7 })).code, 'BAD_FRAME')
  await app.close()
})

test('an agent that leaves the list is released within 5 s with an error frame, the others stay (I-314, ID-170)', async () => {
  const person = await org.person('developer')
  const app = await AppClient.connect(url, person.key)
  for (const agent of ['billing', 'sales']) await app.register(agent)
  const sinceMs = Date.now()
  await admin.client.patch(`/v1/members/${person.id}`, { agents: ['sales'] })
  assert.deepEqual(await app.next(), {
    type: 'error',
    agent: 'billing',
    code: 'AGENT_NOT_ALLOWED',
    detail: 'this key works on sales alone',
  })
  assert.ok(Date.now() - sinceMs < 5 * secondMs)
  const held = await Promise.all(['billing', 'sales'].map((agent) => isHeld(person.client, agent)))
  assert.deepEqual(held, [false, true])
  await app.close()
})

test('a server token made by a narrowed person holds any agent (I-317)', async () => {
  const narrowed = await org.person('developer', { agents: ['sales'] })
  const { body } = await narrowed.client.post('/v1/keys', { label: 'worker', env: 'sandbox' })
  const app = await AppClient.connect(url, body.key)
  assert.equal((await app.register('support')).type, 'agent.registered')
  await app.close()
})

const none = async () => {}

test('an app that answers no ping is gone, one that does stays (ND-87)', async () => {
  assert.deepEqual(appBeats, { pingEveryMs: 20_000, goneAfterMs: 45_000 })
  const { services } = deployment.gateway
  const { authentication, logger, connectedApps, declaredModels } = services
  const server = makeServer({ ...services, metrics: new Registry(), answers: gatewayAnswers })
  const connections = new OpenConnections(authentication)
  const beats = { pingEveryMs: 100, goneAfterMs: 2000 }
  await serveSockets(server, connections)
  const unheard = {
    takeCallFrame: none,
    takeLineFrame: none,
    takeAck: none,
    onHeld: none,
    onReleased: none,
    onGone: none,
  }
  const warningsOf = async () => []
  const parts = { connectedApps, declaredModels, connections, logger, beats, warningsOf, ...unheard }
  appRoutes(server, connectedApps, new AppSockets(parts))
  const fast = await server.listen({ host: '127.0.0.1', port: 0 })
  after(() => server.close())

  const living = await AppClient.connect(fast, ci.key)
  const headers = { authorization: `Bearer ${ci.key}` }
  const sinceMs = Date.now()
  const silent = new AppClient(
    new WebSocket(`${fast.replace('http', 'ws')}/v1/apps`, { headers, autoPong: false }),
  )
  await until('it is open', () => silent.socket.readyState === WebSocket.OPEN)
  await silent.register('silent')
  let pings = 0
  living.socket.on('ping', () => (pings += 1))
  assert.equal((await silent.closed)[0], 1006)
  assert.ok(Date.now() - sinceMs > 1900, 'not before its time')
  await until('it holds nothing', async () => !(await isHeld(ci.client, 'silent')))
  await until('the other was asked much longer', () => pings > 30)
  assert.equal((await living.register('alive')).type, 'agent.registered')
  await living.close()
})

test('an app whose end could not be stored releases its agents when the database is back', async () => {
  await using own = await startDeployment()
  const newborn = await own.newOrg()
  const { key, client } = await newborn.serverToken('sandbox')
  const app = await AppClient.connect(own.url, key)
  await app.register('ghost')
  await own.database.takeAway()
  app.socket.terminate()
  await until('it was tried', () => own.log().includes('apps that are gone are still listed'))
  await own.database.giveBack()
  assert.equal(await isHeld(client, 'ghost'), true)
  await own.gateway.services.housekeeping.run()
  assert.equal(await isHeld(client, 'ghost'), false)
})

test('a visiting operator loses the socket with the power to visit (ID-87)', async () => {
  const home = await deployment.newOrg()
  const visitor = await home.person('developer', { operator: true })
  const visit = await visitor.client.post('/v1/login/org', { org: org.slug })
  assert.equal(visit.status, 200, visit.text)
  const app = await AppClient.connect(url, visit.body.key)
  assert.equal((await app.register('visited')).type, 'agent.registered')
  const changedMs = Date.now()
  await operator.put(`/v1/ops/orgs/${home.slug}/members/${visitor.id}/operator`, { operator: false })
  assert.deepEqual(await closedInTime(app, changedMs), nothing)
})

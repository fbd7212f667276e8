import assert from 'node:assert/strict'
import { after, mock, test } from 'node:test'
import { PeriodicTasks } from '@switchroom/process/periodic-tasks'
import { AppClient } from '../../../testing/agents/app-client.ts'
import type { Client } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { until } from '../../../testing/until.ts'
import { minuteMs, secondMs } from '../../foundation/clock.ts'
import { RunningGateways } from './running-gateways.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
// The runner of written calls deletes dead gateways too, by itself; here the tests decide when.
await deployment.gateway.services.writtenCalls.stop()
const another = async () => {
  const other = await deployment.another()
  await other.gateway.services.writtenCalls.stop()
  return other
}
const { url, sql, clock } = deployment
const org = await deployment.newOrg()
const ci = await org.serverToken('sandbox')

const entryOf = async (client: Client, agent: string) =>
  (await client.get('/v1/agents')).body.agents.find((entry: { agent: string }) => entry.agent === agent)
const isHeld = async (client: Client, agent: string): Promise<boolean> =>
  (await entryOf(client, agent))?.held ?? false

test('every gateway of the deployment knows which app holds which agent, and when it is released (SD-44)', async () => {
  const other = await another()
  const app = await AppClient.connect(other.url, ci.key)
  await app.register('elsewhere', { app: 'far away', declares: { record: true } })
  const { fixed } = (await ci.client.get('/v1/agents/elsewhere/settings')).body
  assert.deepEqual(fixed, ['record'])
  assert.deepEqual([(await entryOf(ci.client, 'elsewhere')).app], ['far away'])
  const near = await AppClient.connect(url, ci.key)
  await near.register('elsewhere', { app: 'near' })
  assert.equal((await entryOf(other.anonymous.as(ci.key), 'elsewhere')).app, 'near')
  await near.close()
  await until(
    'the other holds it again',
    async () => (await entryOf(ci.client, 'elsewhere')).app === 'far away',
  )
  await app.close()
  await until('no app holds it', async () => !(await isHeld(ci.client, 'elsewhere')))
})

test('a gateway that stops closes its sockets with 1001 and releases what they held', async () => {
  const other = await another()
  const app = await AppClient.connect(other.url, ci.key)
  await app.register('leaving')
  const { id } = other.gateway.services.runningGateways
  await other[Symbol.asyncDispose]()
  assert.deepEqual(await app.closed, [1001, 'this gateway is stopping'])
  assert.equal(await isHeld(ci.client, 'leaving'), false)
  const rows = await sql('select from gateways where id = $1', [id])
  assert.equal(rows.rowCount, 0)
})

/** A gateway as it is left behind when it is killed: its rows, seen for the last time so long ago. */
async function killedGateway(id: string, agent: string, seenAgoMs: number) {
  const seenAt = new Date(clock.now().getTime() - seenAgoMs)
  await sql('insert into gateways (id, seen_at) values ($1, $2)', [id, seenAt])
  await sql(
    `insert into app_sockets (id, gateway, org, env, holder, key_id, connected_at)
     values ($1, $1, $2, 'sandbox', '', $3, $4)`,
    [id, org.id, ci.key_id, seenAt],
  )
  await sql(
    `insert into registrations (socket, org, env, holder, agent, app, declaration, fixed, offer)
     values ($1, $2, 'sandbox', '', $3, $1, '{"declared":{"record":{"record":true}}}', '{record}', '{"tools":[]}')`,
    [id, org.id, agent],
  )
}

test('what a killed gateway held counts for 30 s, and then an older registration holds again', async () => {
  const app = await AppClient.connect(url, ci.key)
  await app.register('twice-held', { app: 'living' })
  await killedGateway('gw_late', 'twice-held', 20 * secondMs)
  assert.equal((await entryOf(ci.client, 'twice-held')).app, 'gw_late')
  await sql(`update gateways set seen_at = seen_at - interval '11 seconds' where id = 'gw_late'`)
  assert.equal((await entryOf(ci.client, 'twice-held')).app, 'living')
  assert.deepEqual((await ci.client.get('/v1/agents/twice-held/settings')).body.fixed, [])
  const { apps } = (await ci.client.get('/v1/apps')).body
  assert.ok(apps.every(({ id }: { id: string }) => id !== 'gw_late'))
  await app.close()
})

test('a gateway that starts deletes nothing of others, and housekeeping forgets what is long dead', async () => {
  await sql(`insert into agents (org, slug, created_at) values ($1, 'held-long-ago', now())`, [org.id])
  const gateways = async () =>
    (await sql(`select id from gateways where id like 'gw_dead%' order by id`)).rows.map(({ id }) => id)
  await killedGateway('gw_dead', 'held-long-ago', 6 * minuteMs)
  await killedGateway('gw_dead_lately', 'held-long-ago', 4 * minuteMs)
  await another()
  assert.deepEqual(await gateways(), ['gw_dead', 'gw_dead_lately'])
  await deployment.gateway.services.housekeeping.run()
  assert.deepEqual(await gateways(), ['gw_dead_lately'])
  const left = await sql(`select from registrations where socket = 'gw_dead'`)
  assert.equal(left.rowCount, 0)
})

test('a gateway that the others forgot sends its apps away, and they register again', async () => {
  const other = await another()
  const { runningGateways } = other.gateway.services
  const app = await AppClient.connect(other.url, ci.key)
  await app.register('forgotten')
  await sql('delete from gateways where id = $1', [runningGateways.id])
  await runningGateways.beat()
  assert.deepEqual(await app.closed, [1012, 'this gateway was taken for dead: connect again'])
  const again = await AppClient.connect(other.url, ci.key)
  assert.equal((await again.register('forgotten')).type, 'agent.registered')
  await again.close()
})

test('a gateway says every 2 s that it lives, and its own clock never takes it for dead', async () => {
  mock.timers.enable({ apis: ['setInterval'] })
  const { database, logger, vault } = deployment.gateway.services
  const gateway = new RunningGateways(database, clock, logger, vault.keyIds[0])
  const seenAt = async () =>
    (await sql('select seen_at from gateways where id = $1', [gateway.id])).rows[0]?.seen_at
  await gateway.start()
  const tasks = new PeriodicTasks(logger)
  tasks.start(gateway.heartbeat)
  const first = await seenAt()
  mock.timers.tick(2000)
  await until('it was seen again', async () => (await seenAt()) > first)
  await tasks.stopAll()
  await gateway.stop()
  assert.equal(await seenAt(), undefined)
  mock.timers.reset()

  const app = await AppClient.connect(url, ci.key)
  await app.register('own-clock')
  clock.forward(minuteMs)
  assert.equal(await isHeld(ci.client, 'own-clock'), true)
  await app.close()
})

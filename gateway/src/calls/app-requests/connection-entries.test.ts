import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { appFixture } from '../../../testing/calls/app-fixture.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { entriesOf } from '../../../testing/calls/assigned-call.ts'
import { until } from '../../../testing/until.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
// The gateway that runs written calls also deletes dead gateways on its own; these tests decide when.
for (const { gateway } of [deployment, other]) await gateway.services.writtenCalls.stop()
const org = await deployment.newOrg()
const { newAgent, newApp } = await appFixture(deployment, org)

test("which app took an agent and which released it is in the agent's own log (ND-103)", async () => {
  const agent = newAgent()
  const app = await newApp(agent, { app: 'desk' })
  await app.register(agent, { app: 'desk' })
  app.send({ type: 'agent.unregister', agent })
  await app.register(agent, { app: 'desk' })
  await app.close()
  const own = `${org.id}/sandbox/${agent}`
  const types = () => entriesOf(deployment, own)
  await until('all is written', async () => (await types()).length >= 4)
  assert.deepEqual(
    (await types()).map(({ type, data, call }) => [type, data, call]),
    ['held', 'released', 'held', 'released'].map((what) => [`agent.${what}`, { app: 'desk' }, '']),
  )
})

test("what apps of a gateway that died held is released in the agents' own logs once (ND-103)", async () => {
  const agent = newAgent()
  const app = await newApp(agent, { app: 'desk' })
  const own = `${org.id}/sandbox/${agent}`
  await until('it is held', async () => (await entriesOf(deployment, own)).length >= 1)
  const { sql } = deployment
  await sql(`insert into gateways (id, seen_at) values ('gw_lost', now() - interval '1 hour')`)
  await sql(
    `update app_sockets set gateway = 'gw_lost' where id in (select socket from registrations where agent = $1)`,
    [agent],
  )
  await Promise.all(
    [deployment, other, deployment].map(({ gateway }) => gateway.services.runningGateways.deleteExpired()),
  )
  await until('it is released', async () => (await entriesOf(deployment, own)).length > 1)
  for (const { gateway } of [deployment, other]) {
    await gateway.services.connectionEntries.settled()
    await gateway.services.log.settled()
  }
  const entries = (await entriesOf(deployment, own)).map(({ type, data }) => [type, data])
  assert.deepEqual(entries, [
    ['agent.held', { app: 'desk' }],
    ['agent.released', { app: 'desk' }],
  ])
  await app.close()
})

test("what apps of a gateway held that is known to be dead is released in the agents' own logs (ND-103)", async () => {
  const agent = newAgent()
  const app = await newApp(agent, { app: 'desk' })
  const { sql, gateway } = deployment
  await sql(`insert into gateways (id, seen_at) values ('gw_known', now())`)
  await sql(
    `update app_sockets set gateway = 'gw_known' where id in (select socket from registrations where agent = $1)`,
    [agent],
  )
  const { database, runningGateways } = gateway.services
  await database.transaction((tx) => runningGateways.forget(tx, ['gw_known', 'gw_unknown']))
  const types = async () =>
    (await entriesOf(deployment, `${org.id}/sandbox/${agent}`)).map(({ type }) => type)
  await until('it is released', async () => (await types()).length >= 2)
  assert.deepEqual(await types(), ['agent.held', 'agent.released'])
  await app.close()
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../testing/client.ts'
import { startDeployment, type Deployment } from '../../testing/deployment.ts'
import { until } from '../../testing/until.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const cannotServe = 'the database cannot serve this request at the moment: try again in 2 seconds'

/** As long as it is held, every statement that reads calls waits. */
async function lockCalls({ gateway }: Deployment) {
  const client = await gateway.services.writingDatabase.pool.connect()
  await client.query('begin; lock table calls in access exclusive mode')
  return async () => {
    await client.query('rollback')
    client.release()
  }
}

const searches = async ({ newOrg }: Deployment) => {
  const { client } = await (await newOrg()).serverToken('sandbox')
  return Array.from({ length: 24 }, (_, n) => () => client.get(`/v1/sessions?q=word${n}`))
}

/** Another org's requests and the gateway's own heartbeat go on while something else waits. */
async function assertOthersServed({ gateway, newOrg, sql }: Deployment) {
  const { client } = await (await newOrg()).serverToken('sandbox')
  for (let n = 0; n < 10; n += 1) assert.equal((await client.get('/v1/whoami')).status, 200)
  const { runningGateways, log } = gateway.services
  await sql(`update gateways set seen_at = '2000-01-01'`)
  await runningGateways.beat()
  const seen = await sql(`select from gateways where id = $1 and seen_at > '2000-01-01'`, [
    runningGateways.id,
  ])
  assert.equal(seen.rowCount, 1)
  await log.settled()
}

test('24 slow searches of one key fill neither the pool of requests nor that of heartbeats', async () => {
  await using own = await startDeployment({ SVC_SLOW_REQUESTS_PER_ORG: '24' })
  const asked = await searches(own)
  const unlock = await lockCalls(own)
  const answers = asked.map((search) => search())
  const { pool } = own.gateway.services.slowDatabase
  await until('the searches have all there is', () => pool.waitingCount === 24 - pool.options.max)
  await assertOthersServed(own)
  assert.equal(own.gateway.services.database.pool.waitingCount, 0)
  await until('those without a connection are refused', () => pool.waitingCount === 0)
  await unlock()
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 200).length, pool.options.max)
  assert.equal(statuses.filter((status) => status === 503).length, 24 - pool.options.max)
})

test('an org has a few slow requests at once at a gateway, and other orgs have their own', async () => {
  const asked = await searches(deployment)
  const [others] = await searches(deployment)
  const unlock = await lockCalls(deployment)
  const answers = asked.map((search) => search())
  const { pool } = deployment.gateway.services.slowDatabase
  await until('three are under way', () => pool.totalCount - pool.idleCount === 3)
  await assertOthersServed(deployment)
  const other = others!() // searches() makes 24
  await until('another org searches', () => pool.totalCount - pool.idleCount === 4)
  await unlock()
  assert.equal((await other).status, 200)
  const answered = await Promise.all(answers)
  const refusedOnes = answered.filter(({ status }) => status !== 200)
  assert.equal(refusedOnes.length, 21)
  for (const answer of refusedOnes) {
    const sentence = 'this org has 3 searches, comparisons or erasures under way: try again in 2 seconds'
    refused(answer, 429, sentence)
    assert.equal(answer.headers.get('retry-after'), '2')
  }
  assert.equal((await asked[0]!()).status, 200) // it is one of the 24 above
})

test('without a free connection in time a request is 503 with Retry-After, and one that comes later is served', async () => {
  await using own = await startDeployment()
  const org = await own.newOrg()
  const { client } = await org.serverToken('sandbox')
  const { pool } = own.gateway.services.database
  const held = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()))
  const answer = await client.get('/v1/whoami')
  for (const connection of held) connection.release()
  refused(answer, 503, cannotServe)
  assert.equal(answer.headers.get('retry-after'), '2')
  assert.match(own.log(), /the database could not serve a request/)
  assert.equal((await client.get('/v1/whoami')).status, 200)
})

test('a statement that the database ended is 503, and a statement that is wrong stays 500', async () => {
  await using own = await startDeployment()
  const { client } = await (await own.newOrg()).serverToken('sandbox')
  const unlock = await lockCalls(own)
  const answer = client.get('/v1/sessions')
  const waiting = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await until('it waits', async () => (await own.sql(`select ${waiting}`)).rowCount)
  await own.sql(`select pg_terminate_backend(pid) ${waiting}`)
  refused(await answer, 503, cannotServe)
  await unlock()
  assert.equal((await client.get('/v1/sessions')).status, 200)
  await own.sql('alter table calls rename to calls_gone')
  const headers = { authorization: `Bearer ${(await (await own.newOrg()).serverToken('sandbox')).key}` }
  assert.equal((await fetch(`${own.url}/v1/sessions`, { headers })).status, 500)
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { AppClient } from '../../testing/agents/app-client.ts'
import { startDeployment } from '../../testing/deployment.ts'
import { silencedLine } from '../../testing/silenced-line.ts'
import { SilencingProxy } from '../../testing/silencing-proxy.ts'
import { until } from '../../testing/until.ts'
import { ConnectionWatch, usualWatch } from './connection-watch.ts'
import { Database, isUnavailable, statement } from './database.ts'
import { DatabasePools } from './pools.ts'
import { PostgresBackends } from './watched-backends.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql } = deployment

const sizes = { requests: 2, writing: 2, slow: 2 }
const pid = statement<{ pid: number }>('select pg_backend_pid() as pid')
const sleep = statement<{ slept: string }>(`select pg_sleep(5)::text as slept`)
const sleepLong = statement<{ slept: string }>(`select pg_sleep(25)::text as slept`)
const lockOrgs = statement('lock table orgs in share row exclusive mode')

test('what waits on a silenced connection fails, what it had locked is free again, and the next statement is served', async () => {
  using line = await silencedLine(deployment.database.url)
  const pools = new DatabasePools(line.url, sizes, pino({ level: 'silent' }))
  const idle = await pools.slow.row(pid)
  const silenced = pools.writing.transaction(async (tx) => {
    await tx.rows(lockOrgs)
    line.silence()
    await tx.rows(pid)
  })
  await assert.rejects(silenced, (error) => isUnavailable(error))
  assert.ok(await pools.writing.row(pid))
  await deployment.newOrg() // waits for the lock
  assert.notDeepEqual(await pools.slow.row(pid), idle)
  await pools.close()
})

test('a statement that takes long is no silenced connection', async () => {
  using line = await silencedLine(deployment.database.url)
  const pools = new DatabasePools(line.url, sizes, pino({ level: 'silent' }))
  assert.deepEqual(await pools.slow.row(sleep), { slept: '' })
  await pools.close()
})

test('a statement that the database works at for longer than its own limit is given up all the same', async () => {
  const database = new Database(deployment.database.url, () => {})
  const timing = { ...usualWatch, everyMs: 100, suspectAfterMs: 50, givenUpAfterMs: 500 }
  const backends = new PostgresBackends(deployment.database.url, 3000)
  const watch = new ConnectionWatch(backends, [database.connections], () => {}, timing)
  await assert.rejects(database.row(sleepLong), (error) => isUnavailable(error))
  watch.stop()
  await database.close()
})

test('pools close although every connection is silenced', async () => {
  using line = await silencedLine(deployment.database.url)
  const pools = new DatabasePools(line.url, sizes, pino({ level: 'silent' }))
  await Promise.all([pools.requests.row(pid), pools.writing.row(pid)])
  const waiting = pools.slow.row(sleep)
  const failed = assert.rejects(waiting, (error) => isUnavailable(error))
  await until(
    'it sleeps',
    async () => (await sql(`select from pg_stat_activity where wait_event = 'PgSleep'`)).rowCount,
  )
  line.silence()
  await pools.close()
  await failed
})

test('pools give up a database that does not answer at all, at once and for good, and no other', async () => {
  using proxy = await SilencingProxy.start(deployment.database.url)
  const pools = new DatabasePools(proxy.url, sizes, pino({ level: 'silent' }))
  await pools.giveUpIfSilent()
  assert.ok(await pools.writing.row(pid))
  proxy.silence('')
  const failed = assert.rejects(pools.writing.row(pid), (error) => isUnavailable(error))
  await pools.giveUpIfSilent()
  await failed
  proxy.carryOn()
  await assert.rejects(pools.writing.row(pid), {
    message: 'the database cannot serve now: it did not answer',
  })
  await pools.close()
})

test('a gateway whose connections are silenced serves again within 20 s, and no app loses its socket', async () => {
  const line = await silencedLine(deployment.database.url)
  const far = await deployment.another({ SVC_DATABASE_URL: line.url })
  const { key } = await (await deployment.newOrg()).serverToken('sandbox')
  const client = far.anonymous.as(key)
  const app = await AppClient.connect(far.url, key)
  await app.register('held')
  let isAppGone = false
  void app.closed.then(() => (isAppGone = true))
  assert.equal((await client.get('/v1/whoami')).status, 200)
  line.silence()
  const sinceMs = performance.now()
  for (const { status } of await Promise.all([1, 2, 3].map(() => client.get('/v1/whoami'))))
    assert.ok([200, 503].includes(status), `${status}`)
  await until('it serves', async () => (await client.get('/v1/whoami')).status === 200)
  await far.gateway.services.runningGateways.beat()
  assert.ok(performance.now() - sinceMs < 20_000)
  assert.match(far.log(), /gave up database connections that do not answer/)
  assert.equal((await app.register('held-too')).type, 'agent.registered')
  assert.equal(isAppGone, false)
  await app.close()
  line[Symbol.dispose]()
  await far[Symbol.asyncDispose]()
})

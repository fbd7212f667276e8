import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { range, said, TestLogs } from '../../testing/calls/test-logs.ts'
import { refused } from '../../testing/client.ts'
import { startDeployment } from '../../testing/deployment.ts'
import { SilencingProxy } from '../../testing/silencing-proxy.ts'
import { until } from '../../testing/until.ts'
import { DirectConnection } from './direct-connection.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const proxy = await SilencingProxy.start(deployment.database.url)
after(() => proxy[Symbol.dispose]())
const behind = () => deployment.another({ SVC_DATABASE_URL: proxy.url })
const program = 'switchroom-signals'
const silenced = 'the connection by which this gateway hears the others and proves that it lives is lost'

test('a gateway whose own connection went silent is not ready, and opens another: it is ready and missed nothing', async () => {
  const other = await behind()
  const logs = await TestLogs.of(deployment)
  const call = await logs.open(1)
  using reader = await logs.read(call.at, { at: other })
  await reader.came('log.caught_up')
  const ready = () => other.anonymous.get('/readyz')
  assert.equal((await ready()).status, 200)
  proxy.silence(program)
  await until('it notices', async () => (await ready()).status === 503)
  refused(await ready(), 503, silenced)
  await logs.write(call, [said('2')])
  proxy.carryOn()
  await until('it is ready', async () => (await ready()).status === 200)
  await logs.write(call, [said('3')])
  await until('the reader has all', () => reader.seqs.length === 3)
  assert.deepEqual(reader.seqs, range(1, 3))
  const id = other.gateway.services.runningGateways.id
  const lock = await deployment.sql(
    `select from pg_locks l join pg_stat_activity a using (pid)
     where l.locktype = 'advisory' and l.granted and a.application_name = $1
       and (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended('switchroom gateway ' || $2, 0)`,
    [program, id],
  )
  assert.ok((lock.rowCount ?? 0) > 0) // it proves again that it lives
})

test('a gateway stops although its own connection went silent', async () => {
  const other = await behind()
  proxy.silence(program)
  await other[Symbol.asyncDispose]()
  proxy.carryOn()
})

test('the connection asks PostgreSQL for short TCP keepalives, so that it notices a gateway whose machine lost its power', async () => {
  await deployment.sql('create table told (name text)')
  const connection = new DirectConnection(proxy.url, deployment.gateway.services.logger)
  // Their values are only shown over TCP, so it is looked at who set them.
  connection.prove(
    `insert into told select name from pg_settings where name like 'tcp_keepalives_%' and source = 'client'`,
  )
  await connection.start()
  await connection.stop()
  const { rows } = await deployment.sql('select name from told order by name')
  const names = ['count', 'idle', 'interval'].map((name) => ({ name: `tcp_keepalives_${name}` }))
  assert.deepEqual(rows, names)
})

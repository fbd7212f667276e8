import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { ends, range, said, TestLogs } from '../../../testing/calls/test-logs.ts'
import { dayMs, hourMs } from '../../foundation/clock.ts'
import { endOf, monthAfter, monthOf } from '../log/months.ts'
import { dropMonths } from './old-months.ts'

const deployment = await startDeployment({ SVC_LOG_DAYS: '90' })
after(() => deployment[Symbol.asyncDispose]())
const { sql, clock, operator } = deployment
const { database, log, entryPartitions } = deployment.gateway.services
const logs = await TestLogs.of(deployment)
const go = new AbortController().signal
const timing = { lockedWithinMs: 100, pauseMs: 10, tries: 3 }

const months = async (): Promise<number[]> =>
  (await sql('select month from entry_months order by month')).rows.map(({ month }) => month)
const isThere = async (month: number) =>
  (await sql('select to_regclass($1) as name', [`entries_${month}`])).rows[0].name !== null
const seqsOf = async ({ id }: { id: string }) => (await log.read(id, 0, 1000)).map(({ seq }) => seq)
const run = async () => done(await operator.post('/v1/ops/retention')).entries as number

/** To a day of a later month, which then has its partition. */
async function toNextMonth(days = 3) {
  const end = endOf(monthOf(clock.now())).getTime()
  clock.forward(end - clock.now().getTime() + days * dayMs)
  await entryPartitions.run(go)
  return monthOf(clock.now())
}

async function endedCall(entries: number) {
  const call = await logs.open(entries)
  await logs.write(call, [ends])
  return call
}

test('a month is dropped as a whole once the life of its last call is over, and nothing younger is lost', async () => {
  const first = await toNextMonth()
  const old = [await endedCall(3), await endedCall(4)]
  const next = await toNextMonth()
  const young = await endedCall(2)
  const lasts = endOf(first).getTime() + 90 * dayMs + dayMs
  clock.forward(lasts - clock.now().getTime() - hourMs)
  assert.equal(await run(), 9)
  for (const call of old) assert.deepEqual(await seqsOf(call), [])
  assert.equal(await isThere(first), true) // on the disk; nothing reads it
  clock.forward(2 * hourMs)
  assert.equal(await run(), 0)
  assert.deepEqual([await isThere(first), await isThere(next)], [false, true])
  assert.ok(!(await months()).includes(first))
  assert.deepEqual(await seqsOf(young), range(1, 3))
  await entryPartitions.run(go)
})

test('a reader of a dropped log is told which entries are missing, and its call is listed as before', async () => {
  const month = await toNextMonth()
  const call = await endedCall(5)
  clock.forward(91 * dayMs)
  await toNextMonth()
  await run()
  assert.equal(await isThere(month), false)
  using reader = await logs.read(call.at)
  await reader.ended()
  assert.deepEqual(
    reader.events.map(({ event, data }) => [event, data]),
    [
      ['log.gap', { type: 'log.gap', from: 1, to: 6 }],
      ['log.caught_up', { type: 'log.caught_up', seq: 6 }],
    ],
  )
  const [{ turns, state }] = done(await logs.client.get(`/v1/sessions?q=${call.id}`)).sessions
  assert.deepEqual([turns, state], [5, 'ended'])
  assert.deepEqual((await sql('select from turn_words where call = $1', [call.id])).rows, [])
})

test('a call that outlives its month is kept whole when the month is dropped, takes entries, and goes when its own life is over', async () => {
  const month = await toNextMonth()
  const [open, ended] = [await logs.open(3), await endedCall(1)]
  clock.forward(91 * dayMs)
  await toNextMonth()
  await run()
  assert.deepEqual([await isThere(month), await seqsOf(ended)], [false, []])
  assert.deepEqual(await seqsOf(open), range(1, 3))
  const found = done(await logs.client.get(`/v1/sessions?q=${open.id}`)).sessions
  assert.equal(found.length, 1)
  await logs.write(open, [said('4'), ends])
  assert.deepEqual(await seqsOf(open), range(1, 5))
  clock.forward(91 * dayMs)
  assert.equal(await run(), 5)
  assert.deepEqual(await seqsOf(open), [])
  assert.deepEqual((await sql('select from entries where log = $1', [open.id])).rows, [])
})

test('a month is not dropped while a writer holds one of its logs, and is by the next run', async () => {
  const month = await toNextMonth()
  const call = await logs.open(2)
  clock.forward(91 * dayMs)
  await toNextMonth()
  const drop = () => dropMonths(database, clock.now(), go, timing)
  await database.transaction(async (tx) => {
    await log.lock(tx, call.id)
    assert.ok(!(await drop()).includes(month))
    await log.appendIn(tx, call, [said('3')])
  })
  assert.deepEqual([await isThere(month), await seqsOf(call)], [true, range(1, 3)])
  await drop()
  assert.deepEqual([await isThere(month), await seqsOf(call)], [false, range(1, 3)])
})

test('the newest month is never dropped, for new logs are given it', async () => {
  clock.forward(2000 * dayMs)
  await dropMonths(database, clock.now(), go, timing)
  const [newest] = await months()
  assert.equal((await months()).length, 1)
  const call = await logs.open(2)
  assert.deepEqual(await seqsOf(call), [1, 2])
  assert.ok((newest ?? 0) < monthOf(clock.now()))
  await entryPartitions.run(go)
})

test('two gateways that drop months at the same time, while calls are opened and written, lose nothing', async () => {
  for (let n = 0; n < 3; n += 1) {
    await toNextMonth()
    for (let calls = 0; calls < 5; calls += 1) await endedCall(2)
  }
  clock.forward(91 * dayMs)
  await toNextMonth()
  const written = Promise.all(range(1, 20).map(() => logs.open(3)))
  written.catch(() => {})
  const dropped = await Promise.all([run(), run(), dropMonths(database, new Date(0), go)])
  assert.equal(dropped[0] + dropped[1], 45)
  for (const call of await written) assert.deepEqual(await seqsOf(call), [1, 2, 3])
  await run()
  const oldest = (await months())[0] ?? 0
  assert.ok(endOf(oldest).getTime() > clock.now().getTime() - 92 * dayMs)
})

test('a contact is erased from a log whose month is still to be dropped', async () => {
  const month = await toNextMonth()
  const call = await endedCall(3)
  clock.forward(91 * dayMs)
  await run()
  const count = `select count(*)::int as n from entries where log = $1 and type = 'user.message'`
  assert.deepEqual([await isThere(month), (await sql(count, [call.id])).rows[0].n], [true, 3])
  await sql(`update calls set contact = '+34600111222' where id = $1`, [call.id])
  const { client } = await logs.org.person('admin')
  assert.equal((await client.delete('/v1/contacts/+34600111222')).status, 204)
  assert.equal((await sql(count, [call.id])).rows[0].n, 0)
})

test('dropping a month writes less than a tenth of the write-ahead log that deleting its entries does', async () => {
  const month = await toNextMonth()
  const kept = monthAfter(month)
  await sql(
    `insert into entries (log, seq, ts, type, entry, month)
     select 'filled_' || n, seq, 1, 'metrics', repeat('x', 300), month
     from generate_series(1, 1000) n, generate_series(1, 10) seq, unnest(array[$1, $2]::int[]) month`,
    [month, kept],
  )
  /** By that statement alone: other tests write to the same server. */
  const written = async (text: string) => {
    const client = await database.pool.connect()
    try {
      await client.query(`begin; set local switchroom.erasing = 'on'`)
      const { rows } = await client.query(`explain (analyze, wal, format json) ${text}`)
      await client.query('commit')
      return rows[0]['QUERY PLAN'][0].Plan['WAL Bytes'] as number
    } finally {
      client.release(true)
    }
  }
  const deleted = await written(`delete from entries where month = ${kept}`)
  const dropped = await written(`select drop_entries_month(${month})`)
  assert.equal(await isThere(month), false)
  assert.ok(dropped * 10 < deleted, `${dropped} bytes against ${deleted}`)
})

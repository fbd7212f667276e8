import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Client } from 'pg'
import { startDeployment } from '../../../testing/deployment.ts'
import { range, said, TestLogs } from '../../../testing/calls/test-logs.ts'
import type { PlanNode } from '../../../testing/query-plan.ts'
import { dayMs } from '../../foundation/clock.ts'
import { agentLog, type LogRef } from '../log/entries.ts'
import { endOf, monthAfter, monthOf, ofLog } from '../log/months.ts'
import { EntryPartitions } from './entry-partitions.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql, clock } = deployment
const { database, logger, log } = deployment.gateway.services
const logs = await TestLogs.of(deployment)
const go = new AbortController().signal

const monthsOfEntries = async (id: string) =>
  (await sql('select distinct month from entries where log = $1', [id])).rows.map(({ month }) => month)
const months = async (): Promise<number[]> =>
  (await sql('select month from entry_months order by month')).rows.map(({ month }) => month)
const seqsOf = async ({ id }: LogRef) => (await log.read(id, 0, 1000)).map(({ seq }) => seq)
/** Moves this gateway's clock to the last minute of its month. */
const toMonthsEnd = () =>
  clock.forward(endOf(monthOf(clock.now())).getTime() - clock.now().getTime() - 60_000)

test('a new database has partitions for this month and the next two, and a call’s log is in the month that it was opened in', async () => {
  const now = monthOf(clock.now())
  assert.deepEqual(await months(), [now, monthAfter(now), monthAfter(now, 2)])
  const call = await logs.open(3)
  assert.deepEqual(await monthsOfEntries(call.id), [now])
})

test('an agent’s own log, which does not end, is in no month', async () => {
  const own = agentLog({ org: logs.org.id, env: 'sandbox', agent: 'desk' })
  await logs.write(own, [{ type: 'callback.requested', data: { call: 'call_1', number: '+34600111222' } }])
  assert.deepEqual(await monthsOfEntries(own.id), [0])
})

test('a call that goes on past the end of its month stays whole, and its readers get every entry once', async () => {
  toMonthsEnd()
  const begun = monthOf(clock.now())
  const call = await logs.open(5)
  using reader = await logs.read(call.at)
  clock.forward(2 * 60_000)
  await logs.write(
    call,
    range(6, 10).map((n) => said(`${n}`)),
  )
  assert.equal(monthOf(clock.now()), monthAfter(begun))
  await logs.write(call, [{ type: 'call.ended', data: { reason: 'hangup' } }])
  await reader.ended()
  assert.deepEqual([reader.seqs, await monthsOfEntries(call.id)], [range(1, 11), [begun]])
  const next = await logs.open(1)
  assert.deepEqual(await monthsOfEntries(next.id), [monthAfter(begun)])
})

test('two gateways at the turn of the month make the coming month’s partition once', async () => {
  toMonthsEnd()
  clock.forward(2 * 60_000)
  const now = monthOf(clock.now())
  const gateways = range(1, 4).map(() => new EntryPartitions({ database, clock, logger }))
  await Promise.all(gateways.map((gateway) => gateway.run(go)))
  const made = await months()
  assert.deepEqual([made.at(-1), new Set(made).size], [monthAfter(now, 2), made.length])
})

test('if the partition of the month is missing, a call is in the newest that there is, and loses nothing', async () => {
  const newest = (await months()).at(-1)
  clock.forward(400 * dayMs)
  const call = await logs.open(4)
  assert.deepEqual([await monthsOfEntries(call.id), await seqsOf(call)], [[newest], range(1, 4)])
  await deployment.gateway.services.entryPartitions.run(go)
  await logs.write(call, [said('5')])
  assert.deepEqual([await monthsOfEntries(call.id), await seqsOf(call)], [[newest], range(1, 5)])
  const next = await logs.open(1)
  assert.deepEqual(await monthsOfEntries(next.id), [monthOf(clock.now())])
})

test('a partition is made while a transaction has written entries and is still open', async () => {
  const call = await logs.open(1)
  clock.forward(31 * dayMs)
  await database.transaction(async (tx) => {
    await log.appendIn(tx, call, [said('2')])
    await deployment.gateway.services.entryPartitions.run(go)
    assert.equal((await months()).at(-1), monthAfter(monthOf(clock.now()), 2))
  })
})

test('a `seq` cannot be twice in a call’s log', async () => {
  const call = await logs.open(2)
  await assert.rejects(
    sql(`insert into entries (log, seq, ts, type, entry) values ($1, 2, 1, 'x', '{}')`, [call.id]),
    /duplicate key/,
  )
})

test('partitions keep what they hold, also from who names one', async () => {
  const call = await logs.open(1)
  const [month] = await monthsOfEntries(call.id)
  const stays = /a log keeps what it holds/
  await assert.rejects(sql(`delete from entries_${month}`), stays)
  await assert.rejects(sql(`update entries_${month} set type = 'x'`), stays)
  await assert.rejects(sql(`truncate entries_${month}`))
})

/** The partitions that a plan looked into. */
const looked = (node: PlanNode): string[] => [
  ...(node['Relation Name']?.startsWith('entries') && node['Actual Loops'] > 0
    ? [node['Relation Name']]
    : []),
  ...(node.Plans ?? []).flatMap(looked),
]

test('a read looks into one partition, whichever plan PostgreSQL keeps', async () => {
  const call = await logs.open(3)
  const [month] = await monthsOfEntries(call.id)
  const page = `select seq from entries where ${ofLog('$1')} and seq > 0 order by seq limit 10`
  const last = `
    select (select ts from entries where ${ofLog('calls.id')} and type = 'user.message' order by seq desc limit 1)
    from calls where id = $1`
  const each = `
    select turn.seq from (select id from calls where id = any(array[$1])) own
    cross join lateral (select seq from entries where ${ofLog('own.id')} order by seq desc limit 2) turn`
  const client = new Client({ connectionString: deployment.database.url })
  await client.connect()
  try {
    for (const mode of ['force_generic_plan', 'force_custom_plan']) {
      await client.query(`set plan_cache_mode = ${mode}`)
      for (const [place, text] of [page, last, each].entries()) {
        const name = `${mode}_${place}`
        await client.query(`prepare ${name}(text) as ${text}`)
        const { rows } = await client.query(`explain (analyze, format json) execute ${name}('${call.id}')`)
        assert.deepEqual(looked(rows[0]['QUERY PLAN'][0].Plan), [`entries_${month}`], text)
      }
    }
  } finally {
    await client.end()
  }
})

test('an append opens one partition', async () => {
  const call = await logs.open(1)
  const [month] = await monthsOfEntries(call.id)
  const locked = {
    name: '',
    text: `select distinct relation::regclass::text as name from pg_locks
      join pg_class on pg_class.oid = relation and relkind = 'r'
      where pid = pg_backend_pid() and relname like 'entries%'`,
  }
  const names = await database.transaction(async (tx) => {
    await log.appendIn(tx, call, [said('2'), said('3')])
    return tx.rows<{ name: string }>(locked)
  })
  assert.deepEqual(names, [{ name: `entries_${month}` }])
})

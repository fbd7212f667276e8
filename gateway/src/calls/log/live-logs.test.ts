import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment } from '../../../testing/deployment.ts'
import { range, said, TestLogs } from '../../../testing/calls/test-logs.ts'
import { until } from '../../../testing/until.ts'
import type { Database } from '../../database/database.ts'
import { Log } from './log.ts'
import { agentLog } from './entries.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
const logs = await TestLogs.of(deployment)
const { log, liveLogs, database, signals, clock, logger, runningGateways } = deployment.gateway.services
const there = other.gateway.services

const textsOf = async (id: string) => {
  const { rows } = await deployment.sql('select entry from entries where log = $1 order by seq', [id])
  return rows.map(({ entry }) => JSON.parse(entry).data.text)
}

test('of what waits together, only what is fenced is refused to a gateway that runs the call no longer', async () => {
  const call = await logs.open()
  await deployment.sql(`update logs set runner = 'gw_other' where id = $1`, [call.id])
  const results = await Promise.allSettled([
    log.append(call, [said('anybody')]),
    log.append(call, [said('mine')], 'gw_mine'),
    log.append(call, [said('theirs')], 'gw_other'),
    log.append(call, [said('anybody again')]),
  ])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  )
  assert.deepEqual(await textsOf(call.id), ['anybody', 'theirs', 'anybody again'])
})

test('of two batches with one number that wait together, one is written (ND-40)', async () => {
  const call = await logs.open()
  const runs = [{ isEphemeral: false, entries: [said('once')] }]
  const results = await Promise.allSettled([1, 1, 2].map((batch) => log.appendBatch(call, runs, batch)))
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(await textsOf(call.id), ['once', 'once'])
})

test('a follower that throws on an entry neither loses it nor has it written twice', async () => {
  const call = await logs.open()
  const fail = () => {
    throw new Error('a follower broke')
  }
  const seen: number[] = []
  const [broken, whole] = [
    await liveLogs.follow(call.id, fail),
    await liveLogs.follow(call.id, (entries) => seen.push(...entries.map(({ seq }) => seq))),
  ]
  const unwatch = liveLogs.watch(fail)
  await log.append(call, [said('once')])
  await log.append(call, [said('twice')])
  unwatch()
  broken.stop()
  whole.stop()
  assert.deepEqual(seen, [1, 2])
  assert.deepEqual(await textsOf(call.id), ['once', 'twice'])
})

const charged = { type: 'metrics', data: { credits: 1 } }
for (const [how, more] of [
  ['in one statement', []],
  ['in a transaction', [charged]],
] as const)
  test(`entries whose commit was never answered are not written again, and followers see them if they were stored: ${how}`, async () => {
    const call = await logs.open()
    const lost = new Error('the line was cut')
    const thenLost = async (kept: Promise<unknown>) => {
      await kept
      throw lost
    }
    const cutDatabase: Database = Object.create(database, {
      row: { value: (...asked: Parameters<Database['row']>) => thenLost(database.row(...asked)) },
      rows: { value: (...asked: Parameters<Database['rows']>) => thenLost(database.rows(...asked)) },
      transaction: {
        value: (work: Parameters<Database['transaction']>[0]) => thenLost(database.transaction(work)),
      },
    })
    const seen: number[] = []
    const { stop } = await liveLogs.follow(call.id, (entries) => seen.push(...entries.map(({ seq }) => seq)))
    const gateway = runningGateways.id
    const charge = async () => {}
    const cut = new Log({ database: cutDatabase, clock, logger, liveLogs, signals, gateway, charge })
    const results = await Promise.allSettled([
      cut.append(call, [said('a'), ...more]),
      cut.append(call, [said('b')]),
    ])
    assert.deepEqual(results, [
      { status: 'rejected', reason: lost },
      { status: 'rejected', reason: lost },
    ])
    assert.deepEqual((await textsOf(call.id)).filter(Boolean), ['a', 'b'])
    await until('they are seen', () => seen.length > 0)
    assert.deepEqual(
      seen,
      Array.from({ length: 2 + more.length }, (_, at) => at + 1),
    )
    stop()
  })

test('one entry that cannot be written does not take the others with it', async () => {
  const call = await logs.open()
  const nowhere = agentLog({ org: logs.org.id, env: 'sandbox', agent: 'nobody-named-it' })
  const results = await Promise.allSettled([
    log.append(call, [said('good')]),
    log.append(nowhere, [said('bad')]),
    log.append(call, [said('better')]),
  ])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(await textsOf(call.id), ['good', 'better'])
})

test("an agent's own log is there from its first entry, also when two gateways write it concurrently or the first is taken back (ND-103)", async () => {
  await logs.open(0, 'newborn')
  const own = agentLog({ org: logs.org.id, env: 'sandbox', agent: 'newborn' })
  const taken = database.transaction(async (tx) => {
    await log.appendIn(tx, own, [said('taken back')])
    throw new Error('no')
  })
  await assert.rejects(taken, { message: 'no' })
  await Promise.all([log, there.log].map((writer) => writer.append(own, [said('held')])))
  await database.transaction((tx) => log.appendIn(tx, own, [said('in a rule')]))
  assert.deepEqual(await textsOf(own.id), ['held', 'held', 'in a rule'])
})

test('readers of a gateway that did not hear the others for a while receive what they missed (ND-103)', async () => {
  const call = await logs.open(1)
  using reader = await logs.read(call.at, { at: other })
  await reader.came('log.caught_up')
  await deployment.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'switchroom-signals' and datname = current_database()`,
  )
  await logs.write(call, [said('2'), said('3')])
  await until('it hears again', () => reader.seqs.length === 3)
  await logs.write(call, [said('4')])
  await until('the reader continues', () => reader.seqs.length === 4)
  assert.deepEqual(reader.seqs, range(1, 4))
})

test('what was erased before another gateway could read it is a gap to its readers (ND-105)', async () => {
  const call = await logs.open(1)
  using reader = await logs.read(call.at, { at: other })
  await reader.came('log.caught_up')
  await database.transaction(async (tx) => {
    await log.appendIn(tx, call, [said('2'), said('3')])
    await tx.rows({ name: '', text: `set local switchroom.erasing = 'on'` })
    await tx.rows({ name: '', text: `delete from entries where seq > 1 and log = $1` }, call.id)
  })
  await there.log.append(call, [said('4')])
  await until('the reader continues', () => reader.seqs.includes(4))
  assert.deepEqual(
    reader.events.slice(2).map(({ id, data }) => id ?? data),
    [{ type: 'log.gap', from: 2, to: 3 }, '4'],
  )
})

test('a follower receives every entry after its starting point and no other, whenever it started (N-496, T-92)', async () => {
  const call = await logs.open()
  const followers: Promise<{ seq: number; seen: number[]; stop: () => void }>[] = []
  const begin = async (from: typeof liveLogs) => {
    const seen: number[] = []
    const { seq, stop } = await from.follow(call.id, (entries) => seen.push(...entries.map((e) => e.seq)))
    return { seq, seen, stop }
  }
  const writes: Promise<unknown>[] = []
  for (const n of range(1, 60)) {
    writes.push((n % 2 ? log : there.log).append(call, [said(`${n}`)]))
    followers.push(begin(n % 3 ? liveLogs : there.liveLogs))
    if (n % 5 === 0) await Promise.race(writes.splice(0))
  }
  await Promise.all(writes)
  for (const follower of followers) {
    const { seq, seen, stop } = await follower
    await until('it has seen all', () => seq === 60 || seen.at(-1) === 60)
    assert.deepEqual(seen, range(seq + 1, 60))
    stop()
  }
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startDeployment } from '../../../testing/deployment.ts'
import type { Transaction } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { CallBackfill } from '../backfills/backfill.ts'
import { CallSearch } from './call-search.ts'
import { searchOfShelves } from './search.store.ts'
import { fillWords, Sessions } from './sessions.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql } = deployment
const { database, clock, slowRequests } = deployment.gateway.services
const org = await deployment.newOrg()
const calls = 250
const go = new AbortController().signal

const backfillOf = (derive: (tx: Transaction, ids: readonly string[]) => Promise<unknown> = fillWords) =>
  new CallBackfill(database, clock, 'turn_words', derive)

const filled = async () =>
  Number((await sql('select count(distinct call) as calls from turn_words')).rows[0].calls)

/** What is found of a word that every tenth call has, and of one that a single one has. */
async function found(backfill: CallBackfill): Promise<[number, string[]]> {
  const search = new CallSearch(database, () => backfill.isDone())
  const sessions = new Sessions(database, search, slowRequests)
  const find = async (q: string) =>
    (await sessions.list({ org: org.id, env: 'sandbox' } as Caller, { q, limit: '20' })).sessions
  return [(await find('plum')).length, (await find('griffin')).map(({ call }) => call)]
}

/** A database as it is right after the migration: no turn from before has its words in the table. */
before(async () => {
  await sql(`insert into agents (org, slug, created_at) values ($1, 'desk', now())`, [org.id])
  await sql(
    `insert into calls (id, org, agent, env, holder, channel, opened_at, settings, canary, state, ended_at)
     select 'call_' || n, $1, 'desk', 'sandbox', '', 'chat', now(), '[]', false, 'ended', now()
     from generate_series(1, ${calls}) n`,
    [org.id],
  )
  await sql(`insert into logs (id, org, env, agent, call, seq) select id, org, env, agent, id, 1 from calls`)
  await sql(
    `insert into entries (log, seq, ts, type, entry, org)
     select 'call_' || n, 1, 1, 'user.message', '{"data":{"text":"' ||
       case when n % 10 = 0 then 'a plum' when n = 7 then 'a griffin' else 'a tree' end || '"}}', $1
     from generate_series(1, ${calls}) n`,
    [org.id],
  )
})

const begin = async () => {
  await sql('truncate turn_words')
  await sql(`update call_backfills set reached = '', done_at = null where name = 'turn_words'`)
}

test('what was said before the table of words is found before, while and after its words are filled in', async () => {
  await begin()
  assert.deepEqual(await found(backfillOf()), [20, ['call_7']])

  const stop = new AbortController()
  const interrupted = backfillOf(async (tx, ids) => {
    await fillWords(tx, ids)
    stop.abort()
  })
  await interrupted.run(stop.signal)
  assert.deepEqual([await filled(), await interrupted.isDone()], [100, false])
  assert.deepEqual(await found(interrupted), [20, ['call_7']])

  const resumed = backfillOf()
  await resumed.run(go)
  assert.deepEqual([await filled(), await resumed.isDone()], [calls, true])
  assert.deepEqual(await found(resumed), [20, ['call_7']])
})

test('two gateways that fill in words at the same time leave no call out, and do none twice', async () => {
  await begin()
  const done: string[] = []
  const counting = async (tx: Transaction, ids: readonly string[]) => {
    await fillWords(tx, ids)
    done.push(...ids)
  }
  const [one, other] = [backfillOf(counting), backfillOf(counting)]
  while (!(await one.isDone())) await Promise.all([one.run(go), other.run(go)])
  assert.deepEqual([await filled(), done.length, new Set(done).size], [calls, calls, calls])
})

test('a turn that is written while words are filled in has its words once', async () => {
  await begin()
  await sql(
    `insert into entries (log, seq, ts, type, entry, org)
     values ('call_1', 2, 1, 'user.message', '{"data":{"text":"a quince"}}', $1)`,
    [org.id],
  )
  assert.equal(await filled(), 1)
  await backfillOf().run(go)
  const { rows } = await sql(`select seq from turn_words where call = 'call_1' order by seq`)
  assert.deepEqual(rows, [{ seq: 1 }, { seq: 2 }])
})

test('the words of entries that are erased or too old go with them', async () => {
  await sql(`begin; set local switchroom.erasing = 'on'; delete from entries where log = 'call_7'; commit`)
  assert.deepEqual((await sql(`select from turn_words where call = 'call_7'`)).rows, [])
  assert.deepEqual(await found(backfillOf()), [20, []])
})

test("what was said before a call was routed to another agent is found as that one's", async () => {
  await sql(`insert into agents (org, slug, created_at) values ($1, 'sales', now())`, [org.id])
  await sql(`update calls set agent = 'sales' where id = 'call_10'`)
  const search = new CallSearch(database, async () => true)
  const sessions = new Sessions(database, search, slowRequests)
  const find = async (agent: string) =>
    (await sessions.list({ org: org.id, env: 'sandbox' } as Caller, { q: 'plum', agent })).sessions
  assert.deepEqual(
    (await find('sales')).map(({ call }) => call),
    ['call_10'],
  )
  assert.ok(!(await find('desk')).some(({ call }) => call === 'call_10'))
  // By the index, too, which is read for calls that are not among the newest.
  const wanted = { org: org.id, env: 'sandbox' as const, agent: 'sales', test: false }
  const { query, values } = searchOfShelves(wanted, 'plum', { newest: 0, oldest: 0 }, 5)
  const byIndex = await database.rows<{ call: string }>(query, ...values)
  assert.deepEqual(
    byIndex.map(({ call }) => call),
    ['call_10'],
  )
})

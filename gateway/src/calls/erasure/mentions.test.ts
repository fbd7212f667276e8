import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment } from '../../../testing/deployment.ts'
import { rowsRead, type PlanNode } from '../../../testing/query-plan.ts'
import { until } from '../../../testing/until.ts'
import { statement, type Statement, type Transaction, type Value } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { Backfill } from '../backfills/backfill.ts'
import { Erasure } from './erasure.ts'
import { allowErasing } from './erasure.store.ts'
import { fillMentions } from './mentions.ts'
import { eraseNamingCalls, eraseNamingContact } from './mentions.store.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql } = deployment
const { database, clock, log, slowRequests, recordings } = deployment.gateway.services
const go = new AbortController().signal
const contactOf = (n: number) => `+34600${String(n).padStart(6, '0')}`

/** An org whose agents' own logs hold as many callbacks each, every one of another contact and about another call. */
async function newOrg(agents: readonly string[], callbacks: number) {
  const { id } = await deployment.newOrg()
  for (const agent of agents) {
    await sql(`insert into agents (org, slug, created_at) values ($1, $2, now())`, [id, agent])
    const own = `${id}/sandbox/${agent}`
    await sql(`insert into logs (id, org, env, agent, call, seq) values ($1, $2, 'sandbox', $3, null, $4)`, [
      own,
      id,
      agent,
      callbacks,
    ])
    await sql(
      `insert into entries (log, seq, ts, type, entry)
       select $1, n, n, 'callback.requested', json_build_object('call', 'call_' || $2::text || n, 'data',
         json_build_object('contact', '+34600' || lpad(n::text, 6, '0'), 'number', '+34911000000'))
       from generate_series(1, $3::int) n`,
      [own, agent, callbacks],
    )
  }
  return id
}

const kept = async (org: string) =>
  (await sql(`select count(*)::int as n from entries where log like $1 || '/%'`, [org])).rows[0].n as number
const mentionsOf = async (org: string) =>
  (
    await sql(`select count(distinct (log, seq))::int as n from log_mentions where log like $1 || '/%'`, [
      org,
    ])
  ).rows[0].n as number

/** As after the migration of a database that has agents' own logs. */
async function forgetMentions() {
  await sql('truncate log_mentions')
  await sql(`update call_backfills set reached = '', done_at = null where name = 'log_mentions'`)
}
const newBackfill = (step = fillMentions) => new Backfill(database, clock, 'log_mentions', step)

/** Erases a contact as the gateway does while this backfill fills in mentions. */
async function erase(org: string, contact: string, backfill: Backfill): Promise<void> {
  const erasure = new Erasure({
    database,
    slowRequests,
    log,
    recordings,
    areMentionsKnown: () => backfill.isDone(),
    forgetBeside: async () => 0,
  })
  const caller = {
    kind: 'server',
    org,
    production: true,
    agents: [],
    label: 'a test',
    name: '',
    visiting: false,
  }
  await erasure.erase(caller as unknown as Caller, contact)
}

test('an erasure reads what is about the contact, however many callbacks the agents of its org have', async () => {
  const org = await newOrg(['desk'], 5000)
  await sql('vacuum analyze entries, log_mentions, logs')
  const read = async (query: Statement<unknown>, ...values: Value[]) => {
    const explained = statement<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (analyze, format json) ${query.text}`,
    )
    return database.transaction(async (tx) => {
      await allowErasing(tx)
      const [plan] = await tx.rows(explained, ...values)
      assert.ok(plan)
      return rowsRead(plan['QUERY PLAN'][0].Plan)
    })
  }
  const ofContact = await read(eraseNamingContact, org, contactOf(7), ['sandbox', 'production'], null)
  const ofCalls = await read(eraseNamingCalls, org, ['call_desk8', 'call_desk9'])
  assert.equal(await kept(org), 4997)
  assert.ok(ofContact < 20 && ofCalls < 40, `${ofContact} and ${ofCalls} rows`)
  assert.equal(await mentionsOf(org), 4997)
})

test('callbacks from before the table are erased before, while and after it is filled', async () => {
  const org = await newOrg(['desk', 'sales'], 700)
  await newOrg(['desk'], 10)
  await forgetMentions()
  await erase(org, contactOf(650), newBackfill())
  assert.equal(await kept(org), 1398)

  const stop = new AbortController()
  const interrupted = newBackfill(async (tx, reached) => {
    const next = await fillMentions(tx, reached)
    const own = await tx.rows(statement(`select from log_mentions where log like $1 || '/%' limit 1`), org)
    if (own.length > 0) stop.abort()
    return next
  })
  await interrupted.run(stop.signal)
  const filled = await mentionsOf(org)
  assert.ok(filled > 0 && filled < 1398, String(filled))
  await erase(org, contactOf(651), interrupted)
  await erase(org, contactOf(1), interrupted)
  assert.equal(await kept(org), 1394)

  const resumed = newBackfill()
  await resumed.run(go)
  assert.deepEqual([await mentionsOf(org), await resumed.isDone()], [1394, true])
  await erase(org, contactOf(652), resumed)
  assert.deepEqual([await kept(org), await mentionsOf(org)], [1392, 1392])
})

test('two gateways that fill the table at the same time leave no entry out, and do none twice', async () => {
  const org = await newOrg(['desk', 'sales'], 510)
  await forgetMentions()
  const reached: string[] = []
  const counting = async (tx: Transaction, from: string) => {
    const to = await fillMentions(tx, from)
    if (to !== undefined) reached.push(to)
    return to
  }
  const [one, other] = [newBackfill(counting), newBackfill(counting)]
  while (!(await one.isDone())) await Promise.all([one.run(go), other.run(go)])
  assert.equal(new Set(reached).size, reached.length)
  assert.equal(await mentionsOf(org), 1020)
})

test('of an entry that is erased while the table is filled nothing is kept', async () => {
  const org = await newOrg(['desk'], 50)
  await sql('truncate log_mentions')
  const own = { org, env: 'sandbox', agent: 'desk', ts: -1, seq: 0 }
  let filled: Promise<unknown> = Promise.resolve()
  await database.transaction(async (tx) => {
    await allowErasing(tx)
    await tx.rows(statement('delete from entries where log = $1 and seq <= 40'), `${org}/sandbox/desk`)
    filled = database.transaction((filling) => fillMentions(filling, JSON.stringify(own)))
    await until('the backfill waits for the erasure', async () => {
      const { rows } = await sql(
        `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%log_mentions%'
         and datname = current_database()`,
      )
      return rows.length > 0
    })
  })
  await filled
  assert.deepEqual([await kept(org), await mentionsOf(org)], [10, 10])
})

test('an entry of a call that names a person is no mention: it goes with its call', async () => {
  const org = await newOrg(['desk'], 1)
  await sql(
    `insert into calls (id, org, agent, env, holder, channel, opened_at, settings, canary)
     values ('call_own', $1, 'desk', 'sandbox', '', 'phone', now(), '[]', false)`,
    [org],
  )
  await sql(
    `insert into logs (id, org, env, agent, call) values ('call_own', $1, 'sandbox', 'desk', 'call_own')`,
    [org],
  )
  await log.append({ id: 'call_own', org, env: 'sandbox', agent: 'desk', call: 'call_own' }, [
    { type: 'callback.requested', data: { number: contactOf(1), call: 'call_own' } },
  ])
  assert.deepEqual((await sql(`select from log_mentions where log = 'call_own'`)).rows, [])
  assert.equal(await mentionsOf(org), 1)
})

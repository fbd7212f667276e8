import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment, type Deployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { dayMs, hourMs } from '../../foundation/clock.ts'
import { agentLog, callLog } from '../log/entries.ts'
import { OldLogs } from './old-logs.ts'

const deployment = await startDeployment({ SVC_LOG_DAYS: '30' })
after(() => deployment[Symbol.asyncDispose]())
const { sql, clock, operator } = deployment
const org = await deployment.newOrg()
const { client } = await org.serverToken('sandbox')

async function newCall(
  turns: number,
  isEnded: boolean,
  { gateway }: Deployment = deployment,
): Promise<string> {
  const { call } = done(await client.post('/v1/calls', { agent: 'desk' }))
  const ref = callLog({ id: call, org: org.id, env: 'sandbox', agent: 'desk' })
  const said = Array.from({ length: turns }, (_, n) => ({ type: 'user.message', data: { text: `${n}` } }))
  const end = { type: 'call.ended', data: { reason: 'hangup' } }
  await gateway.services.log.append(ref, isEnded ? [...said, end] : said)
  return call
}
const run = async (asker = operator) => {
  const { entries, claims } = done(await asker.post('/v1/ops/retention'))
  return { entries, claims }
}
const keptOf = async (call: string) =>
  (await sql('select count(*)::int as n from entries where log = $1', [call])).rows[0].n

test('entries of calls that ended more than SVC_LOG_DAYS ago are forgotten, and those of no other call', async () => {
  const old = [await newCall(2, true), await newCall(4, true)]
  const going = await newCall(3, false)
  clock.forward(2 * hourMs)
  const young = await newCall(1, true)
  clock.forward(30 * dayMs - hourMs)
  assert.deepEqual(await run(), { entries: 8, claims: 0 })
  for (const call of old) assert.equal(await keptOf(call), 0)
  assert.deepEqual([await keptOf(going), await keptOf(young)], [3, 2])
  assert.deepEqual(await run(), { entries: 0, claims: 0 })
  clock.forward(2 * hourMs)
  assert.deepEqual(await run(), { entries: 2, claims: 0 })
})

test('a call whose entries are gone is still listed, with what its record counted', async () => {
  const call = await newCall(2, true)
  clock.forward(31 * dayMs)
  await run()
  const [{ turns, state, reason }] = done(await client.get(`/v1/sessions?q=${call}`)).sessions
  assert.deepEqual([turns, state, reason], [2, 'ended', 'hangup'])
  const { seq } = (await sql('select seq from logs where id = $1', [call])).rows[0]
  assert.equal(seq, 3) // so that a reader that resumes sees the gap
})

test('hundreds of calls are forgotten in one run, some at a time', async () => {
  const call = await newCall(1, true)
  await sql(
    `with made as (
       insert into calls (id, org, agent, env, holder, channel, opened_at, settings, canary, state, ended_at)
       select id || n, org, agent, env, holder, channel, opened_at, settings, canary, state, ended_at
       from calls, generate_series(1, 250) n where id = $1 returning id, org, env, agent
     ), logged as (
       insert into logs (id, org, env, agent, call, seq, sealed) select id, org, env, agent, id, 2, true from made
     )
     insert into entries (log, seq, ts, type, entry)
     select id, n, 1, 'user.message', '{"data":{"text":"old"}}' from made, generate_series(1, 2) n`,
    [call],
  )
  clock.forward(31 * dayMs)
  assert.deepEqual(await run(), { entries: 502, claims: 0 })
})

test('a call that a person holds just then waits for the next run, and holds up no other', async () => {
  const [held, free] = [await newCall(1, true), await newCall(1, true)]
  clock.forward(31 * dayMs)
  const { database, log } = deployment.gateway.services
  await database.transaction(async (tx) => {
    await log.lock(tx, held)
    assert.deepEqual(await run(), { entries: 2, claims: 0 })
  })
  assert.deepEqual([await keptOf(held), await keptOf(free)], [2, 0])
  assert.deepEqual(await run(), { entries: 2, claims: 0 })
})

test('two gateways that run it concurrently forget everything once', async () => {
  await using there = await deployment.another()
  for (let n = 0; n < 20; n += 1) await newCall(4, true)
  clock.forward(31 * dayMs)
  there.clock.forward(clock.now().getTime() - Date.now())
  const runs = await Promise.all([run(), run(there.operator)])
  const counted = runs.reduce((sum, { entries }) => sum + entries, 0)
  const { entries: left } = await run()
  assert.equal(counted + left, 100)
})

test('if SVC_LOG_DAYS is 0, logs are kept for ever', async () => {
  await using forever = await deployment.another({ SVC_LOG_DAYS: '0', SVC_CALL_DAYS: '0' })
  const call = await newCall(1, true)
  forever.clock.forward(5000 * dayMs)
  assert.deepEqual(await run(forever.operator), { entries: 0, claims: 0 })
  assert.equal(await keptOf(call), 2)
})

test("of agents' own logs the entries are deleted that are as old, and the younger ones stay", async () => {
  clock.forward(31 * dayMs)
  await run() // of the tests before
  const { log } = deployment.gateway.services
  const callback = (n: number) => ({
    type: 'callback.requested',
    data: { number: `+3460000${n}`, call: 'c' },
  })
  const [busy, quiet] = ['busy', 'quiet'].map((agent) => agentLog({ org: org.id, env: 'sandbox', agent }))
  assert.ok(busy && quiet)
  for (const { agent } of [busy, quiet])
    await sql(`insert into agents (org, slug, created_at) values ($1, $2, now())`, [org.id, agent])
  const many = (count: number, from: number) => Array.from({ length: count }, (_, n) => callback(from + n))
  await log.append(busy, many(1100, 1000))
  await log.append(quiet, [{ type: 'agent.held', data: { app: 'x' } }])
  clock.forward(31 * dayMs)
  await log.append(busy, many(3, 5000))
  assert.equal((await run()).entries, 1101)
  assert.deepEqual([await keptOf(busy.id), await keptOf(quiet.id)], [3, 0])
  const { rows } = await sql(`select count(distinct seq)::int as n from log_mentions where log = $1`, [
    busy.id,
  ])
  assert.deepEqual(rows, [{ n: 3 }])
  const { callbacks } = done(await client.get('/v1/callbacks?agent=busy'))
  assert.equal(callbacks.length, 3)
  const { gap } = done(await client.get('/v1/agents/busy/events'))
  assert.deepEqual(gap, { from: 1, to: 1100 }) // a reader that resumes is told what it missed
  assert.deepEqual(await run(), { entries: 0, claims: 0 })
})

test('how the turns of a call were delivered is deleted with its log, but not while they are being sent', async () => {
  const [sent, sending] = [await newCall(1, true), await newCall(1, true)]
  for (const call of [sent, sending])
    await sql(`insert into sends (call, seq, part, attempted_at) values ($1, 1, 0, now())`, [call])
  await sql(
    `insert into sendings (call, org, phone_number_id, contact, sender) values ($1, $2, '1', '+34', 'nobody')`,
    [sending, org.id],
  )
  clock.forward(31 * dayMs)
  await run()
  assert.deepEqual((await sql('select call from sends')).rows, [{ call: sending }])
})

test('a run that is stopped in the middle has deleted whole calls, and the next run deletes the rest', async () => {
  const calls = await Promise.all(Array.from({ length: 150 }, () => newCall(2, true)))
  clock.forward(31 * dayMs)
  const stop = new AbortController()
  const { slowDatabase, lives, recordings } = deployment.gateway.services
  const forgetWords = async () => stop.abort()
  const old = new OldLogs({ database: slowDatabase, clock, lives, recordings, forgetWords })
  assert.equal(await old.forget(stop.signal), 300)
  const counts = await Promise.all(calls.map(keptOf))
  assert.deepEqual([counts.filter((n) => n === 0).length, counts.filter((n) => n === 3).length], [100, 50])
  assert.deepEqual(await run(), { entries: 150, claims: 0 })
})

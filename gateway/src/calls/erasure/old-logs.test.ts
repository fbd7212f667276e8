import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment, type Deployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { dayMs, hourMs } from '../../foundation/clock.ts'
import { callLog } from '../log/entries.ts'

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

test('if SVC_LOG_DAYS is unset, logs are kept for ever', async () => {
  await using forever = await deployment.another({ SVC_LOG_DAYS: '' })
  const call = await newCall(1, true)
  forever.clock.forward(5000 * dayMs)
  assert.deepEqual(await run(forever.operator), { entries: 0, claims: 0 })
  assert.equal(await keptOf(call), 2)
})

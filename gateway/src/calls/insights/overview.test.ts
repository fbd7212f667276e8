import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { SpokenAgent } from '../../../testing/calls/spoken-calls.ts'
import { hourMs, dayMs } from '../../foundation/clock.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { clock, sql } = deployment
const count = () => deployment.gateway.services.callTotals.count()

/** An org with two agents that answer, and its token. */
async function startOrg() {
  const org = await deployment.newOrg()
  const { client } = await org.serverToken('sandbox')
  const desk = await new SpokenAgent(deployment, org, 'desk').route()
  const shop = await new SpokenAgent(deployment, org, 'shop').route()
  await desk.holdingApp()
  await shop.holdingApp()
  const overview = async (query = '') => done(await client.get(`/v1/insights/overview${query}`))
  return { org, client, desk, shop, overview }
}

interface Ran {
  lastsMs?: number
  heardMs?: number[]
  credits?: number
  reason?: string
  errors?: number
}

/** A call from its opening to its end. */
async function run(
  agent: SpokenAgent,
  { lastsMs = 60_000, heardMs = [], credits = 0, reason = 'hangup', errors = 0 }: Ran,
) {
  const call = await agent.open()
  const entries = [
    ...heardMs.map((heard_ms) => ({ type: 'metrics', data: { stage: 'turn', heard_ms } })),
    ...Array.from({ length: errors }, () => ({ type: 'error', data: { code: 'llm_failed', detail: 'no' } })),
  ]
  if (entries.length > 0) done(await agent.append(call, entries))
  await sql(`update calls set opened_at = opened_at - $2 * interval '1 ms' where id = $1`, [call, lastsMs])
  done(await agent.append(call, [{ type: 'call.ended', data: { reason } }]))
  // as if the platform's key had been used, whose price is the rates'
  if (credits > 0) {
    await sql(`begin; set local switchroom.erasing = 'on';
      update entries set entry = (entry::jsonb || jsonb_build_object('data', entry::jsonb -> 'data' || '{"credits": ${credits}}'))::text
      where log = '${call}' and type = 'metrics' and seq = (select min(seq) from entries where log = '${call}' and type = 'metrics'); commit`)
  }
  return call
}

test('an overview says what the calls of a period came to, beside the period before', async () => {
  const { desk, shop, overview } = await startOrg()
  await run(desk, { lastsMs: 120_000, heardMs: [400, 600, 800], credits: 1.5 })
  clock.forward(8 * dayMs)
  await run(desk, { lastsMs: 60_000, heardMs: [1000], errors: 2 })
  await run(shop, { lastsMs: 30_000, reason: 'no_answer' })
  const running = await shop.open()
  await count()
  const read = await overview()
  assert.deepEqual([read.world, read.period, read.step, read.live], ['sandbox', '7d', 'day', 1])
  assert.equal(read.points.length, 7)
  const { heard_p50_ms, heard_p95_ms, ...rest } = read.now
  assert.deepEqual(rest, { calls: 2, minutes: 1.5, errors: 2, calls_with_errors: 1, credits: 0 })
  for (const ms of [heard_p50_ms, heard_p95_ms]) assert.ok(Math.abs(ms - 1000) <= 50, `${ms}`)
  assert.deepEqual([read.before.calls, read.before.minutes, read.before.credits], [1, 2, 1.5])
  assert.ok(Math.abs(read.before.heard_p50_ms - 600) <= 30)
  assert.deepEqual(read.reasons, [
    { reason: 'hangup', calls: 1, before: 1 },
    { reason: 'no_answer', calls: 1, before: 0 },
  ])
  assert.equal(
    read.points.reduce((sum: number, point: { calls: number }) => sum + point.calls, 0),
    2,
  )
  assert.equal((await overview('?agent=shop')).now.calls, 1)
  assert.equal((await overview('?period=24h')).points.length, 24)
  assert.equal((await overview('?period=24h')).now.calls, 2)
  done(await shop.append(running, [{ type: 'call.ended', data: { reason: 'hangup' } }]))
})

test('each call is counted once, also by two gateways at the same time', async () => {
  const { desk, overview } = await startOrg()
  for (let n = 0; n < 6; n += 1) await run(desk, { lastsMs: 60_000 })
  await using second = await deployment.another()
  await Promise.all([count(), second.gateway.services.callTotals.count(), count()])
  await count()
  const { now } = await overview()
  assert.deepEqual([now.calls, now.minutes], [6, 6])
})

test('hours are kept for three days, days for ever', async () => {
  const { org, desk, overview } = await startOrg()
  await run(desk, {})
  await count()
  clock.forward(4 * dayMs)
  await run(desk, {})
  await count()
  const { rows } = await sql(
    `select unit, count(*)::int from call_totals where org = $1 group by unit order by unit`,
    [org.id],
  )
  assert.deepEqual(rows, [
    { unit: 'day', count: 2 },
    { unit: 'hour', count: 1 },
  ])
  assert.equal((await overview()).now.calls, 2)
})

test('calls from before there were totals are added by the backfill, and none twice', async () => {
  const { desk, overview } = await startOrg()
  const older = await run(desk, {})
  await sql('delete from uncounted_calls where call = $1', [older])
  const open = await desk.open()
  await sql(`update call_totals_since set ordinal = (select max(ordinal) from calls), open = array[$1]`, [
    open,
  ])
  const later = await run(desk, {})
  done(await desk.append(open, [{ type: 'call.ended', data: { reason: 'hangup' } }]))
  await count()
  const { callTotals } = deployment.gateway.services
  await deployment.gateway.services.database.transaction((tx) => callTotals.fill(tx, [older, open, later]))
  await count()
  assert.equal((await overview()).now.calls, 3)
})

test('an overview has nothing of another org, another environment, or an agent outside the list', async () => {
  const { org, desk, shop, overview } = await startOrg()
  await run(desk, {})
  await run(shop, {})
  await count()
  assert.equal((await overview()).now.calls, 2)
  const live = await org.serverToken('production')
  assert.equal(done(await live.client.get('/v1/insights/overview')).now.calls, 0)
  const other = await startOrg()
  assert.equal((await other.overview()).now.calls, 0)
  const narrowed = await org.person('admin', { agents: ['shop'] })
  assert.equal(done(await narrowed.client.get('/v1/insights/overview')).now.calls, 1)
  refused(await narrowed.client.get('/v1/insights/overview?agent=desk'), 403, 'this key works on shop alone')
})

test('a period that there is not is refused, and so is a key that does not open calls', async () => {
  const { org, client } = await startOrg()
  refused(await client.get('/v1/insights/overview?period=1y'), 400, 'period is one of 24h, 7d, 30d, 90d')
  const app = (await org.serverToken('sandbox', { scopes: ['app'] })).client
  refused(await app.get('/v1/insights/overview'), 403, 'this key does not open calls: it opens app')
})

test('the calls behind a figure are listed: of a period, with errors, by how they ended', async () => {
  const { desk, shop, client } = await startOrg()
  const first = await run(desk, { lastsMs: 0, errors: 1 })
  clock.forward(2 * hourMs)
  const between = Math.floor(clock.now().getTime() / 1000)
  const second = await run(desk, { lastsMs: 0, reason: 'no_answer' })
  const third = await run(shop, { lastsMs: 0, errors: 1, reason: 'no_answer' })
  const listed = async (query: string) =>
    done(await client.get(`/v1/sessions?${query}`)).sessions.map(({ call }: { call: string }) => call)
  assert.deepEqual(await listed(`from=${between}`), [third, second])
  assert.deepEqual(await listed(`to=${between}`), [first])
  assert.deepEqual(await listed(`from=${between + 1_000_000}`), [])
  assert.deepEqual(await listed('errors=true'), [third, first])
  assert.deepEqual(await listed(`errors=true&reason=no_answer`), [third])
  assert.deepEqual(await listed(`reason=no_answer&agent=desk&from=${between}`), [second])
  refused(await client.get('/v1/sessions?errors=perhaps'), 400, 'errors is true or false')
  refused(await client.get('/v1/sessions?from=yesterday'), 422, 'from: is epoch seconds, as 1767225600')
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { SpokenAgent } from '../../../testing/calls/spoken-calls.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { fleetKey, noLimit, startDeployment } from '../../../testing/deployment.ts'
import { refused } from '../../../testing/client.ts'
import { plannedRows } from '../../../testing/query-plan.ts'
import { spokenSeconds } from './spoken-minutes.store.ts'

const deployment = await startDeployment()
const second = await deployment.another()
after(() => deployment[Symbol.asyncDispose]())
const { sql, clock, operator } = deployment

async function newPhone(minutes: number | null) {
  const org = await deployment.newOrg()
  const phone = await new SpokenAgent(deployment, org, 'desk').route()
  await phone.holdingApp()
  const allow = async (most: number | null) =>
    done(await operator.put(`/v1/ops/orgs/${org.slug}/quotas`, { ...noLimit, minutes: most }))
  await allow(minutes)
  const used = async () => Number(done(await operator.get(`/v1/ops/orgs/${org.slug}`)).holding.minutes)
  const lasted = (call: string, seconds: number) =>
    sql(`update calls set opened_at = now() - make_interval(secs => $2) where id = $1`, [call, seconds])
  const end = (call: string, at = deployment.anonymous) =>
    at.as(fleetKey).post(`/v1/calls/${call}/events`, {
      entries: [{ type: 'call.ended', data: { reason: 'hangup' } }],
    })
  const past = `org ${org.slug} has used its ${minutes} minutes of calls of this month (UTC): wait for the next month, or ask the operator for more`
  return { org, phone, allow, used, lasted, end, past }
}

test('minutes of spoken calls are counted while they run and once they ended, and a written call has none', async () => {
  const { org, phone, used, lasted, end } = await newPhone(null)
  const call = await phone.open()
  await lasted(call, 90)
  assert.ok(Math.abs((await used()) - 1.5) <= 0.3, `${await used()}`)
  done(await end(call))
  assert.ok(Math.abs((await used()) - 1.5) <= 0.3, `${await used()}`)
  const { client } = await org.serverToken('sandbox')
  const { call: written } = done(await client.post('/v1/calls', { agent: 'desk', channel: 'chat' }))
  const { call: untaken } = done(await client.post('/v1/calls', { agent: 'desk' }))
  for (const one of [written, untaken]) await lasted(one, 6000)
  assert.ok((await used()) < 2, 'neither a chat nor a call that no worker took')
  done(await end(untaken))
  assert.ok((await used()) < 2)
})

test('past the quota of minutes a new spoken call is refused, also before it is answered; one that runs goes on, and a chat begins', async () => {
  const { org, phone, lasted, end, past, allow } = await newPhone(2)
  const first = await phone.open()
  const running = await phone.open()
  await lasted(first, 150)
  refused(await phone.ask(), 429, past)
  refused(await phone.ask({ dry_run: true }), 429, past) // as the SIP gate asks before it answers
  done(await end(first))
  const answer = await phone.ask()
  refused(answer, 429, past)
  assert.equal(answer.body.code, 'QUOTA_EXCEEDED')
  done(
    await phone.append(running, [
      { type: 'user.message', data: { text: 'I am still here', messageId: 'm1' } },
    ]),
  )
  const { client } = await org.serverToken('sandbox')
  const { call: browsers } = done(await client.post('/v1/calls', { agent: 'desk' }))
  refused(await phone.fleet.post('/v1/worker/calls', { call: browsers }), 429, past)
  done(await client.post('/v1/calls', { agent: 'desk', channel: 'chat' }))
  await allow(4)
  done(await phone.ask())
  await allow(0)
  refused(await phone.ask(), 429, past.replace('its 2 ', 'its 0 '))
})

test('calls that end at the same instant on two gateways are all counted', async () => {
  const { phone, used, lasted, end } = await newPhone(null)
  const calls = await Promise.all(Array.from({ length: 20 }, () => phone.open()))
  for (const call of calls) await lasted(call, 600)
  const ends = await Promise.all(
    calls.map((call, n) => end(call, n % 2 === 0 ? deployment.anonymous : second.anonymous)),
  )
  for (const ended of ends) done(ended)
  assert.ok(Math.abs((await used()) - 200) < 10, `${await used()}`)
})

test('a month begins anew, a dial counts from its answer, and a full year of calls is not read', async () => {
  const { org, used } = await newPhone(1)
  await sql(
    `insert into calls (id, org, agent, env, holder, channel, opened_at, settings, canary, state, runner)
     select $1 || n, $1, 'desk', 'sandbox', '', 'phone', now() - interval '60 days', '[]', false, 'open', 'fleet'
     from generate_series(1, 3000) as n`,
    [org.id],
  )
  await sql(`update calls set state = 'ended', ended_at = now() - interval '40 days' where org = $1`, [
    org.id,
  ])
  assert.equal(await used(), 0, 'of another month')
  const dialled = ['a', 'b']
  for (const id of dialled)
    await sql(
      `with c as (
         insert into calls (id, org, agent, env, holder, channel, direction, opened_at, settings, canary, state, runner)
         values ($1 || $2, $1, 'desk', 'sandbox', '', 'phone', 'outbound', now() - interval '10 minutes', '[]', false, 'open',
           'fleet') returning id
       ) select from c`,
      [org.id, id],
    )
  await sql(
    `insert into placements (call, gateway, account, max_duration_s, asked_at, answered_at)
     values ($1 || 'a', '', '', 60, now(), now() - interval '2 minutes'), ($1 || 'b', '', '', 60, now(), null)`,
    [org.id],
  )
  await sql(`update calls set state = 'ended', ended_at = now() where org = $1 and state = 'open'`, [org.id])
  assert.ok(Math.abs((await used()) - 2) < 0.1, `${await used()}`)
  await sql('analyze calls, logs, spoken_seconds')
  const read = await plannedRows(sql, spokenSeconds, [org.id, clock.now()])
  assert.ok(read < 50, `it read ${read} rows`)
})

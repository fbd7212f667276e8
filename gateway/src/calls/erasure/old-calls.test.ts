import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { dayMs } from '../../foundation/clock.ts'
import { callLog } from '../log/entries.ts'
import { OldCalls } from './old-calls.ts'

const deployment = await startDeployment({ SVC_LOG_DAYS: '30', SVC_CALL_DAYS: '60' })
after(() => deployment[Symbol.asyncDispose]())
const { sql, clock, operator } = deployment
const { log, threads } = deployment.gateway.services
const org = await deployment.newOrg()
const { client } = await org.serverToken('sandbox')
const number = '+34911000000'

/** A messaging call of the contact with two turns. */
async function newCall(contact: string, isEnded: boolean): Promise<string> {
  const { call } = done(await client.post('/v1/calls', { agent: 'desk' }))
  await sql(`update calls set contact = $2, called = $3, channel = 'msgapp' where id = $1`, [
    call,
    contact,
    number,
  ])
  const said = ['user.message', 'agent.message'].map((type) => ({ type, data: { text: 'hello there' } }))
  const end = { type: 'call.ended', data: { reason: 'hangup' } }
  const ref = callLog({ id: call, org: org.id, env: 'sandbox', agent: 'desk' })
  await log.append(ref, isEnded ? [...said, end] : said)
  await sql(
    `insert into conversations (org, env, number, contact, phone_number_id, call, wrote_at)
     values ($1, 'sandbox', $2, $3, '1055', $4, $5)
     on conflict (org, env, number, contact) do update set call = excluded.call, wrote_at = excluded.wrote_at`,
    [org.id, number, contact, call, clock.now()],
  )
  await sql(`insert into sends (call, seq, part, attempted_at) values ($1, 2, 0, now())`, [call])
  await threads.foldTouches()
  return call
}
const run = async (asker = operator): Promise<number> => done(await asker.post('/v1/ops/retention')).calls
const isKept = async (call: string) => (await sql('select from calls where id = $1', [call])).rows.length > 0

/** How many rows name the call, or the contact, in each table that does. */
async function rowsOf(call: string, contact: string): Promise<Record<string, number>> {
  const places: Record<string, [string, string]> = {
    calls: ['id', call],
    logs: ['id', call],
    entries: ['log', call],
    turn_words: ['call', call],
    sends: ['call', call],
    threads: ['contact', contact],
    thread_reads: ['contact', contact],
    conversations: ['contact', contact],
  }
  const counted: Record<string, number> = {}
  for (const [table, [column, value]] of Object.entries(places)) {
    const { rows } = await sql(`select from ${table} where ${column} = $1`, [value])
    if (rows.length > 0) counted[table] = rows.length
  }
  return counted
}

test('the record of a call that ended more than SVC_CALL_DAYS ago is deleted with all that belongs to it, and is then unknown', async () => {
  const contact = '+34600000001'
  const call = await newCall(contact, true)
  const person = await org.person('manager')
  await sql(
    `insert into thread_reads (org, env, agent, contact, member, read_at) values ($1, 'sandbox', 'desk', $2, $3, $4)`,
    [org.id, contact, person.id, clock.now()],
  )
  const whole = { calls: 1, logs: 1, entries: 3, turn_words: 2, sends: 1 }
  const ofContact = { threads: 1, thread_reads: 1, conversations: 1 }
  assert.deepEqual(await rowsOf(call, contact), { ...whole, ...ofContact })
  clock.forward(31 * dayMs)
  assert.equal(await run(), 0)
  assert.deepEqual(await rowsOf(call, contact), { calls: 1, logs: 1, ...ofContact })
  clock.forward(28 * dayMs)
  assert.equal(await run(), 0)
  clock.forward(2 * dayMs)
  assert.equal(await run(), 1)
  assert.deepEqual(await rowsOf(call, contact), {})
  for (const path of ['', '/events', '/settings']) {
    const gone = await client.get(`/v1/calls/${call}${path}`)
    const unknown = await client.get(`/v1/calls/call_neverwas${path}`)
    assert.equal(gone.status, 404)
    assert.equal(gone.body.detail, unknown.body.detail.replace('call_neverwas', call))
  }
  assert.deepEqual(done(await client.get(`/v1/sessions?q=${call}`)).sessions, [])
})

test('a call that has not ended is kept whatever its age, with the settings that it runs on', async () => {
  const settings = await org.person('admin', { production: true })
  done(
    await settings.client.put('/v1/agents/desk/settings?env=sandbox', {
      team: true,
      if_version: 0,
      config: { greeting: { say: 'Hi' } },
    }),
  )
  const call = await newCall('+34600000002', false)
  const before = await rowsOf(call, '+34600000002')
  const versions = (await sql('select version from versions')).rows
  clock.forward(3000 * dayMs)
  await run()
  assert.deepEqual(await rowsOf(call, '+34600000002'), before)
  assert.deepEqual((await sql('select version from versions')).rows, versions)
  done(await client.get(`/v1/calls/${call}/settings`))
})

test('a contact with a younger call keeps the thread and the conversation', async () => {
  const contact = '+34600000003'
  const old = await newCall(contact, true)
  clock.forward(40 * dayMs)
  const young = await newCall(contact, true)
  clock.forward(21 * dayMs)
  assert.equal(await run(), 1)
  assert.deepEqual([await isKept(old), await isKept(young)], [false, true])
  const { threads: kept, conversations } = await rowsOf(young, contact)
  assert.deepEqual([kept, conversations], [1, 1])
})

/** Records of calls whose logs are deleted, that ended so long ago. */
const insertForgotten = (name: string, count: number, daysAgo: number) =>
  sql(
    `with made as (
       insert into calls (id, org, agent, env, holder, channel, opened_at, settings, canary, state, ended_at, forgotten)
       select $2::text || n, $1, 'desk', 'sandbox', '', 'chat', $4, '[]', false, 'ended', $4, true
       from generate_series(1, $3::int) n returning id, org, env, agent
     )
     insert into logs (id, org, env, agent, call, seq, sealed) select id, org, env, agent, id, 2, true from made`,
    [org.id, name, count, new Date(clock.now().getTime() - daysAgo * dayMs)],
  )

/** How many rows these have, of records and of logs together. */
const countOf = async (name: string) =>
  (
    await sql(
      `select id from calls where starts_with(id, $1) union all select id from logs where starts_with(id, $1)`,
      [name],
    )
  ).rows.length

test('two gateways that run it at the same time delete each record once, and none that is younger', async () => {
  await using there = await deployment.another()
  await insertForgotten('twice_', 450, 61)
  await insertForgotten('since_', 20, 59)
  there.clock.forward(clock.now().getTime() - Date.now())
  const deleted = await Promise.all([run(), run(there.operator)])
  deleted.push(await run()) // what one had locked while the other ran
  assert.equal(
    deleted.reduce((sum, calls) => sum + calls),
    450,
  )
  assert.deepEqual([await countOf('twice_'), await countOf('since_')], [0, 40])
})

test('a run that is stopped in the middle has deleted whole records, and the next run deletes the rest', async () => {
  await insertForgotten('some_', 250, 61)
  const stop = new AbortController()
  const { slowDatabase, lives } = deployment.gateway.services
  const old = new OldCalls({
    database: slowDatabase,
    clock,
    lives,
    forgetThreads: async () => stop.abort(),
  })
  assert.equal(await old.forget(stop.signal), 100)
  assert.equal(await countOf('some_'), 300)
  assert.equal(await run(), 150)
  assert.equal(await countOf('some_'), 0)
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Environment } from '@switchroom/contract/scopes'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'
import { agentLog, callLog } from '../log/entries.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql } = deployment
const { log, liveLogs } = deployment.gateway.services
const number = '+34600111222'

/** An org that speaks with people in both environments. */
async function newDesk() {
  const org = await deployment.newOrg()
  const manager = await org.person('manager', { production: true })
  const tokens = {
    sandbox: await org.serverToken('sandbox'),
    production: await org.serverToken('production'),
  }
  return {
    org,
    manager: manager.client,
    erase: (contact = encodeURIComponent(number)) => manager.client.delete(`/v1/contacts/${contact}`),
    async call(row: Record<string, unknown>, env: Environment = 'sandbox', agent = 'desk') {
      const { call } = done(await tokens[env].client.post('/v1/calls', { agent }))
      for (const [column, value] of Object.entries(row))
        await sql(`update calls set ${column} = $2 where id = $1`, [call, value])
      const ref = callLog({ id: call, org: org.id, env, agent })
      return { id: call as string, write: (...entries: Written[]) => log.append(ref, entries.map(entryOf)) }
    },
    ofAgent: (env: Environment, ...entries: Written[]) =>
      log.append(agentLog({ org: org.id, env, agent: 'desk' }), entries.map(entryOf)),
    remember: (contact: string, env: Environment = 'sandbox', agent = 'desk') =>
      sql(
        `insert into memories (org, env, agent, contact, id, text, learned_at)
         values ($1, $2, $4, $3, 'fact', 'likes secret plums', now())`,
        [org.id, env, contact, agent],
      ),
    client: tokens.sandbox.client,
  }
}
type Written = [type: string, data: Record<string, unknown>]
const entryOf = ([type, data]: Written) => ({ type, data })
const typesOf = async (id: string) =>
  (await sql('select type from entries where log = $1 order by seq', [id])).rows.map(({ type }) => type)
const headOf = async (id: string) =>
  (await sql('select caller, called, contact, metadata, state, reason, turns from calls where id = $1', [id]))
    .rows[0]
/** Whether anything that is kept in these tables says so. */
async function isSaid(word: string): Promise<boolean> {
  const tables = ['calls', 'entries', 'memories', 'driven_calls']
  const counts = tables.map(async (table) => {
    const { rowCount } = await sql(
      `select from ${table} as kept where kept::text like '%' || $1 || '%' limit 1`,
      [word],
    )
    return Boolean(rowCount)
  })
  return (await Promise.all(counts)).includes(true)
}
const asked = (call: string, contact: string | null, to: string): Written => [
  'callback.requested',
  { number: to, when: 'secret tomorrow', note: 'secret note', call, channel: 'phone', contact, via: 'agent' },
]

test('of an erased contact nothing that anybody said or learned is kept, in either environment; heads stay without the number (ND-69)', async () => {
  const desk = await newDesk()
  const inbound = {
    caller: number,
    called: '+34911000000',
    contact: number,
    metadata: '{"name": "secret Ana"}',
  }
  const outbound = { direction: 'outbound', caller: '+34911000000', called: number, contact: number }
  const records = [await desk.call(inbound), await desk.call(outbound, 'production')]
  for (const { id, write } of records) {
    await write(
      ['msgapp.started', { session: { contactName: 'secret Ana' } }],
      ['user.message', { text: 'secret words' }],
      ['agent.message', { text: 'secret answer' }],
      ['llm.toolCall', { toolCalls: [{ id: 't', name: 'look', arguments: '"secret"' }] }],
      ['tool.result', { id: 't', name: 'look', ok: true, result: 'secret' }],
      ['memory.ops', { contact: number, ops: [{ op: 'add', id: 'f', text: 'secret fact' }] }],
      ['call.whispered', { text: 'secret hint' }],
      ['call.dialing', { to: number }],
      ['error', { code: 'dial_failed', detail: `${number} is secret` }],
      asked(id, number, number),
      ['made.up', { text: 'secret' }],
      ['metrics', { stage: 'llm', vendor: 'acme', credits: 0.5 }],
      ['call.ended', { reason: 'timeout' }],
    )
    await sql(
      `insert into driven_calls (call, org, env, agent, holder, prepared)
      select id, org, env, agent, holder, '{"context": "secret Ana"}' from calls where id = $1
      on conflict (call) do update set prepared = excluded.prepared`,
      [id],
    )
  }
  await desk.ofAgent('sandbox', asked(records[0]?.id ?? '', number, number))
  await desk.ofAgent('production', ['message.waiting', { contact: number, text: 'secret message' }])
  for (const env of ['sandbox', 'production'] as const) await desk.remember(number, env)
  assert.ok(await isSaid('secret'))

  const answer = await desk.erase()
  assert.deepEqual([answer.status, answer.text], [204, ''])
  assert.equal(await isSaid('secret'), false)
  assert.equal(await isSaid(number), false)
  for (const { id } of records) assert.deepEqual(await typesOf(id), ['metrics', 'call.ended'])
  const kept = { contact: null, metadata: {}, state: 'ended', reason: 'timeout', turns: 2 }
  assert.deepEqual(await headOf(records[0]?.id ?? ''), { ...kept, caller: null, called: '+34911000000' })
  assert.deepEqual(await headOf(records[1]?.id ?? ''), { ...kept, caller: '+34911000000', called: null })
})

test('a running call of the contact is hung up first, and its readers see the end (ND-69)', async () => {
  const desk = await newDesk()
  const { id, write } = await desk.call({ caller: number, contact: number })
  await write(['user.message', { text: 'hello' }])
  const seen: string[] = []
  const { stop } = await liveLogs.follow(id, (entries) => seen.push(...entries.map(({ type }) => type)))
  assert.equal((await desk.erase()).status, 204)
  await until('the reader sees the end', () => seen.includes('call.ended'))
  stop()
  const { rows } = await sql('select seq, entry from entries where log = $1', [id])
  assert.deepEqual(
    rows.map(({ seq, entry }) => [seq, JSON.parse(entry).data]),
    [[2, { reason: 'hangup', by: 'erasure', who: 'A manager' }]],
  )
  assert.deepEqual([(await headOf(id)).state, (await headOf(id)).reason], ['ended', 'hangup'])
  await assert.rejects(write(['user.message', { text: 'late' }]), { message: 'this call has ended' })
})

test('a reader who resumes the log after an erasure receives the gap (ND-69, ND-105)', async () => {
  const desk = await newDesk()
  const { id, write } = await desk.call({ caller: number, contact: number })
  await write(['user.message', { text: 'a' }], ['user.message', { text: 'b' }], ['metrics', {}])
  await write(['user.message', { text: 'c' }])
  assert.equal((await desk.erase()).status, 204)
  const read = async (seq: number) => done(await desk.client.get(`/v1/calls/${id}/events?after=${seq}`))
  const { entries, gap, ended } = await read(1)
  assert.deepEqual(
    entries.map(({ seq, type }: { seq: number; type: string }) => [seq, type]),
    [
      [3, 'metrics'],
      [5, 'call.ended'],
    ],
  )
  assert.deepEqual([gap.from, ended], [2, true])
  assert.deepEqual((await read(3)).gap, { from: 4, to: 4 })
})

test('what the org keeps of others stays as it was (ND-69)', async () => {
  const desk = await newDesk()
  const stranger = await newDesk()
  const other = '+34600999888'
  const theirs = await desk.call({ caller: other, called: number, contact: other })
  const elsewhere = await stranger.call({ caller: number, contact: number })
  for (const { id, write } of [theirs, elsewhere])
    await write(['user.message', { text: 'stays' }], asked(id, other, other))
  await desk.ofAgent('sandbox', asked(theirs.id, other, other), ['agent.held', { app: 'x' }])
  await desk.remember(other)
  await stranger.remember(number)
  await desk.call({ caller: number, contact: number })
  assert.equal((await desk.erase()).status, 204)
  for (const { id } of [theirs, elsewhere])
    assert.deepEqual(await typesOf(id), ['user.message', 'callback.requested'])
  assert.equal((await headOf(theirs.id)).caller, other)
  assert.equal((await headOf(elsewhere.id)).caller, number)
  assert.deepEqual(await typesOf(`${desk.org.id}/sandbox/desk`), ['callback.requested', 'agent.held'])
  const { rowCount } = await sql('select from memories where org in ($1, $2)', [desk.org.id, stranger.org.id])
  assert.equal(rowCount, 2)
})

test('a callback that another person wanted for their number is gone from both logs, the rest of that call is not (ND-69)', async () => {
  const desk = await newDesk()
  const { id, write } = await desk.call({ caller: '+34600999888', contact: '+34600999888' })
  await write(['user.message', { text: 'stays' }], asked(id, '+34600999888', number))
  await desk.ofAgent('sandbox', asked(id, '+34600999888', number))
  assert.equal((await desk.erase()).status, 204)
  assert.deepEqual(await typesOf(id), ['user.message'])
  assert.deepEqual(await typesOf(`${desk.org.id}/sandbox/desk`), [])
  assert.deepEqual(done(await desk.client.get('/v1/callbacks')).callbacks, [])
})

test('a callback that was noted without saying whose call it was goes with the call (ND-69)', async () => {
  const desk = await newDesk()
  const { id } = await desk.call({ caller: number })
  await desk.ofAgent('sandbox', asked(id, null, '+34600999888'))
  assert.equal((await desk.erase()).status, 204)
  assert.deepEqual(await typesOf(`${desk.org.id}/sandbox/desk`), [])
})

test('the contact is named with a plus sign or its escape, or by a platform’s own id; a contact that nothing is known of is 404 (ND-05, ND-69)', async () => {
  const desk = await newDesk()
  for (const [contact, path] of [
    [number, number],
    [number, '%2B34600111222'],
    ['user 7/ñ', encodeURIComponent('user 7/ñ')],
  ] as const) {
    const { id } = await desk.call({ contact })
    assert.equal((await desk.erase(path)).status, 204)
    assert.equal((await headOf(id)).contact, null)
    refused(await desk.erase(path), 404, `nothing is known of ${contact}`)
  }
  await desk.remember(number)
  assert.equal((await desk.erase()).status, 204)
  refused(await desk.erase('34600111222'), 404, 'nothing is known of 34600111222')
})

test('a number of the org’s own is no contact of the calls that came to it or went from it (ND-69)', async () => {
  const desk = await newDesk()
  const other = '+34600999888'
  const calls = [
    await desk.call({ caller: other, called: number, contact: other }),
    await desk.call({ direction: 'outbound', caller: number, called: other, contact: other }),
  ]
  for (const { write } of calls) await write(['user.message', { text: 'stays' }])
  refused(await desk.erase(), 404, `nothing is known of ${number}`)
  for (const { id } of calls) assert.deepEqual(await typesOf(id), ['user.message'])
})

test('a contact with hundreds of calls is erased completely', async () => {
  const desk = await newDesk()
  const { id } = await desk.call({ caller: number, contact: number })
  await sql(
    `with made as (
       insert into calls (id, org, agent, env, holder, channel, opened_at, settings, canary, caller, contact, state)
       select id || n, org, agent, env, holder, channel, opened_at, settings, canary, caller, contact, 'ended'
       from calls, generate_series(1, 450) n where id = $1 returning id, org, env, agent
     ), logged as (
       insert into logs (id, org, env, agent, call, seq, sealed) select id, org, env, agent, id, 1, true from made
     )
     insert into entries (log, seq, ts, type, entry)
     select id, 1, 1, 'user.message', '{"data":{"text":"many words"}}' from made`,
    [id],
  )
  assert.equal((await desk.erase()).status, 204)
  const { rows } = await sql('select count(*)::int as n from calls where org = $1 and contact is null', [
    desk.org.id,
  ])
  assert.deepEqual([rows[0].n, await isSaid('many words')], [451, false])
})

test('an erasure while the call is being written to, at another gateway, leaves nothing behind', async () => {
  await using there = await deployment.another()
  const desk = await newDesk()
  const { id } = await desk.call({ caller: number, contact: number })
  const ref = callLog({ id, org: desk.org.id, env: 'sandbox', agent: 'desk' })
  const writer = there.gateway.services.log
  const writes: Promise<unknown>[] = []
  for (let n = 0; n < 200; n += 1)
    writes.push(writer.append(ref, [{ type: 'user.message', data: { text: `late words ${n}` } }]))
  const [answer, ...written] = await Promise.all([
    desk.erase(),
    ...writes.map((write) =>
      write.then(
        () => true,
        () => false,
      ),
    ),
  ])
  assert.equal(answer.status, 204)
  assert.equal(written.length, 200)
  assert.equal(await isSaid('late words'), false)
  assert.deepEqual(await typesOf(id), ['call.ended'])
})

test('two erasures of one contact concurrently, at two gateways, end whole and in peace', async () => {
  await using there = await deployment.another()
  const desk = await newDesk()
  for (let n = 0; n < 20; n += 1) {
    const { write } = await desk.call({ caller: number, contact: number })
    await write(['user.message', { text: `twice told ${n}` }])
  }
  const manager = await desk.org.person('manager', { production: true })
  const other = there.anonymous.as(manager.key)
  const answers = await Promise.all([
    desk.erase(),
    other.delete(`/v1/contacts/${encodeURIComponent(number)}`),
  ])
  for (const { status } of answers) assert.ok([204, 404].includes(status))
  assert.ok(answers.some(({ status }) => status === 204))
  assert.equal(await isSaid('twice told'), false)
})

test('the log stays closed to changes for everybody else while and after an erasure', async () => {
  const desk = await newDesk()
  const { id, write } = await desk.call({ caller: number, contact: number })
  await write(['user.message', { text: 'x' }], ['metrics', {}], ['call.ended', { reason: 'hangup' }])
  assert.equal((await desk.erase()).status, 204)
  // every connection of the pool, so that the one that erased is among them
  const { pool } = deployment.gateway.services.slowDatabase
  const connections = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()))
  const attempts = connections.map((client) => client.query('delete from entries where log = $1', [id]))
  const outcomes = await Promise.allSettled(attempts)
  for (const client of connections) client.release()
  assert.ok(outcomes.every(({ status }) => status === 'rejected'))
})

test('erasing needs `team` (ND-69)', async () => {
  const desk = await newDesk()
  const supervisor = await desk.org.person('supervisor')
  const sentence = 'this key does not open team: it opens calls · talk · words · evals'
  refused(await supervisor.client.delete(`/v1/contacts/${number}`), 403, sentence)
})

/** The same person in both environments, with two agents, and what is left of them in each place. */
async function knownEverywhere() {
  const desk = await newDesk()
  const places = (['sandbox', 'production'] as const).flatMap((env) =>
    ['desk', 'sales'].map((agent) => ({ env, agent })),
  )
  for (const { env, agent } of places) {
    const { id, write } = await desk.call({ caller: number, contact: number }, env, agent)
    await write(['user.message', { text: 'words' }])
    await desk.remember(number, env, agent)
    await log.append(agentLog({ org: desk.org.id, env, agent }), [entryOf(asked(id, number, number))])
    await sql(
      `insert into waiting_messages (org, env, agent, message_id, number, contact, sent_at, message)
       values ($1, $2, $3, $2 || $3, '+34911000000', $4, now(), '{}')`,
      [desk.org.id, env, agent, number],
    )
    await sql(
      `insert into conversations (org, env, number, contact, phone_number_id, call, wrote_at)
       values ($1, $2, $3, $4, '1', $5, now())`,
      [desk.org.id, env, `+3491100000${agent.length}`, number, id],
    )
    await sql(`insert into known_contacts values ($1, $2, $3, now()) on conflict do nothing`, [
      desk.org.id,
      env,
      number,
    ])
  }
  const left = async () => {
    const { rows } = await sql(
      `select env, agent from calls where org = $1 and contact = $2
       union all select env, agent from memories where org = $1 and contact = $2
       union all select env, agent from waiting_messages where org = $1 and contact = $2
       union all select c.env, agent from conversations v join calls c on c.id = v.call
         where v.org = $1 and v.contact = $2
       union all select l.env, l.agent from entries e join logs l on l.id = e.log
         where l.org = $1 and l.call is null and e.type = 'callback.requested'`,
      [desk.org.id, number],
    )
    const counts = Map.groupBy(rows, ({ env, agent }) => `${env} ${agent}`)
    return Object.fromEntries([...counts].map(([place, kept]) => [place, kept.length]))
  }
  const known = async () =>
    (await sql('select env from known_contacts where org = $1 order by env', [desk.org.id])).rows.map(
      ({ env }) => env,
    )
  return { desk, left, known }
}
const whole = { 'sandbox desk': 5, 'sandbox sales': 5, 'production desk': 5, 'production sales': 5 }
const erased = `/v1/contacts/${encodeURIComponent(number)}`

test('without production access an erasure does not reach production (ND-69)', async () => {
  const { desk, left, known } = await knownEverywhere()
  assert.deepEqual(await left(), whole)
  const { client } = await desk.org.person('manager')
  assert.equal((await client.delete(erased)).status, 204)
  assert.deepEqual(await left(), { 'production desk': 5, 'production sales': 5 })
  assert.deepEqual(await known(), ['production'])
  refused(
    await client.delete(erased),
    404,
    `nothing is known of ${number} in what this key may erase: the sandbox, for it has no production access`,
  )
  const token = await desk.org.serverToken('sandbox', { scopes: ['team'] })
  assert.equal((await token.client.delete(erased)).status, 404)
  assert.deepEqual(await left(), { 'production desk': 5, 'production sales': 5 })
  assert.equal((await desk.erase()).status, 204)
  assert.deepEqual([await left(), await known()], [{}, []])
})

test('a person with a list of agents erases within it alone (ND-69)', async () => {
  const { desk, left, known } = await knownEverywhere()
  const { client } = await desk.org.person('manager', { production: true, agents: ['sales'] })
  assert.equal((await client.delete(erased)).status, 204)
  assert.deepEqual(await left(), { 'sandbox desk': 5, 'production desk': 5 })
  assert.deepEqual(await known(), ['production', 'sandbox'])
  refused(
    await client.delete(erased),
    404,
    `nothing is known of ${number} in what this key may erase: the agents sales`,
  )
  const both = (await desk.org.person('manager', { agents: ['desk'] })).client
  assert.equal((await both.delete(erased)).status, 204)
  assert.deepEqual(await left(), { 'production desk': 5 })
})

test('erasures of two people concurrently each stay within their own reach (ND-69)', async () => {
  const { desk, left } = await knownEverywhere()
  const other = await deployment.another()
  const sandbox = await desk.org.person('manager', { agents: ['desk'] })
  const sales = await desk.org.person('manager', { production: true, agents: ['sales'] })
  const answers = await Promise.all([
    sandbox.client.delete(erased),
    other.anonymous.as(sales.key).delete(erased),
  ])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [204, 204],
  )
  assert.deepEqual(await left(), { 'production desk': 5 })
})

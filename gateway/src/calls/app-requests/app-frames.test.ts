import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { append, entriesOf, openCall, toolCall } from '../../../testing/calls/assigned-call.ts'
import { until } from '../../../testing/until.ts'
import { agentLog, callLog } from '../log/entries.ts'
import { AppFrames } from './app-frames.ts'
import type { AssignedCall } from './app-requests.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
const org = await deployment.newOrg()
const ci = await org.serverToken('sandbox')
let app: AppClient
before(async () => {
  app = await AppClient.connect(deployment.url, ci.key)
})
after(() => app.close())

const newCall = (record = {}) => openCall(deployment, ci.client, 'desk', record)
const phone = { channel: 'phone', caller: '+34911234567', called: '+34910000000', contact: '+34911234567' }
const refusal = (call: unknown, detail: string, code = 'BAD_FRAME') => ({
  type: 'error',
  agent: null,
  ...(typeof call === 'string' && { call }),
  code,
  detail,
})
const typesOf = async ({ id }: AssignedCall) => (await entriesOf(deployment, id)).map(({ type }) => type)
/** Frames are taken in order: once this is refused, those before it were taken. */
const taken = async () => {
  assert.equal((await app.ask({ type: 'nothing' })).detail, 'no frame is called nothing')
}
const hasNumber = 'number is one in international form, as +15550100100'

test('what an app says in a written call is an agent turn, in a spoken one a request to its worker, and is confirmed (N-456, ND-87)', async () => {
  for (const channel of ['chat', 'msgapp', 'phone', 'web']) {
    const call = await newCall({ channel })
    app.send({ type: 'call.say', call: call.id, text: 'One moment.' })
    await taken()
    const [said, confirmed, ...more] = await entriesOf(deployment, call.id)
    assert.ok(said && confirmed)
    const { messageId } = said.data
    assert.match(messageId, /^msg_[0-9a-f]{24}$/)
    const isWritten = channel === 'chat' || channel === 'msgapp'
    assert.equal(said.type, isWritten ? 'agent.message' : 'say.requested')
    assert.deepEqual(said.data, { text: 'One moment.', messageId, ...(isWritten && { source: 'say' }) })
    assert.deepEqual([confirmed.type, confirmed.data, more], ['message.confirmed', { messageId }, []])
  }
})

test('an app receives the fields of a confirmation and nothing of its own request (N-456)', async () => {
  const own = await AppClient.connect(other.url, ci.key)
  await own.register('teller')
  const call = await openCall(deployment, ci.client, 'teller', { channel: 'phone' })
  await append(deployment, call, { type: 'call.started', data: {} })
  await own.nextOf('call.started')
  own.send({ type: 'call.say', call: call.id, text: 'Hello' })
  const frame = await own.next()
  assert.deepEqual([frame.type, Object.keys(frame.data)], ['message.confirmed', ['messageId']])
  await own.close()
})

test('an app ends a call, and a call that has ended takes nothing more from it (ND-87)', async () => {
  const call = await newCall(phone)
  app.send({ type: 'call.end', call: call.id })
  await taken()
  const [ended] = await entriesOf(deployment, call.id)
  assert.deepEqual([ended?.type, ended?.data], ['call.ended', { reason: 'hangup', by: 'app' }])
  const frames = [
    { type: 'call.end' },
    { type: 'call.say', text: 'x' },
    { type: 'call.callback', number: '+34911234567' },
    { type: 'call.opt_out' },
  ]
  for (const frame of frames)
    assert.deepEqual(await app.ask({ ...frame, call: call.id }), refusal(call.id, 'this call has ended'))
  assert.deepEqual(await typesOf(call), ['call.ended'])
  assert.deepEqual(await entriesOf(deployment, `${org.id}/sandbox/desk`), [])
})

test("a callback is written into the call's log and the agent's own with everything beside it, nothing is answered (N-053, N-054, N-055, N-367, N-368, N-369, N-372, N-498, ND-94)", async () => {
  const agent = 'callers'
  const cases = [
    [{ ...phone }, 'phone', '+34911234567'],
    [{ channel: 'chat' }, 'chat', null],
    [{ channel: 'web' }, 'webrtc', null],
    [{ channel: 'msgapp', contact: '+34911234567' }, 'msgapp', '+34911234567'],
  ] as const
  for (const [record, channel, contact] of cases) {
    const call = await openCall(deployment, ci.client, agent, record)
    const frame = { type: 'call.callback', call: call.id, number: '+15550100100' }
    app.send({ ...frame, when: 'tomorrow at nine', note: 'about the table' })
    app.send(frame)
    await taken()
    const data = { number: '+15550100100', call: call.id, channel, contact, via: 'agent' }
    const wanted = [
      { ...data, when: 'tomorrow at nine', note: 'about the table' },
      { ...data, when: null, note: null },
    ]
    for (const log of [call.id, `${org.id}/sandbox/${agent}`]) {
      const entries = (await entriesOf(deployment, log)).slice(-2)
      assert.deepEqual(
        entries.map((entry) => [entry.type, entry.data, entry.call]),
        wanted.map((each) => ['callback.requested', each, call.id]),
      )
    }
  }
})

test('a callback to what is no number is refused and written nowhere, and long words are cut (ND-95)', async () => {
  const call = await newCall()
  for (const number of [
    '',
    '911234567',
    '+0911234567',
    '+34 911',
    '+3491123456789012',
    'tel:+34911234567',
    '+123456',
  ])
    assert.deepEqual(
      await app.ask({ type: 'call.callback', call: call.id, number }),
      refusal(call.id, hasNumber),
      number,
    )
  assert.deepEqual(await typesOf(call), [])
  const long = `${'é😀'.repeat(250)}over`
  app.send({ type: 'call.callback', call: call.id, number: '+1234567', when: long, note: long })
  await taken()
  const [entry] = await entriesOf(deployment, call.id)
  assert.deepEqual([entry?.data.when, entry?.data.note], ['é😀'.repeat(250), 'é😀'.repeat(250)])
})

test('a callback is in both logs or in none (N-053, N-367)', async () => {
  const call = await openCall(deployment, ci.client, 'halved')
  await deployment.sql(`
    create function refuse_halved() returns trigger language plpgsql as $$
    begin raise exception 'broken'; end $$`)
  await deployment.sql(`
    create trigger refuse_halved before insert on entries for each row
    when (new.log like '%/halved') execute function refuse_halved()`)
  const frame = { type: 'call.callback', call: call.id, number: '+15550100100' }
  assert.deepEqual(await app.ask(frame), refusal(call.id, 'something broke on our side', 'INTERNAL_ERROR'))
  assert.deepEqual(await typesOf(call), [])
  await deployment.sql('drop trigger refuse_halved on entries')
  app.send(frame)
  await taken()
  assert.deepEqual(await typesOf(call), ['callback.requested'])
})

test('a callback and a concurrent writer of both its logs never deadlock (N-053)', async () => {
  const scope = { org: org.id, env: 'sandbox', agent: 'busy', holder: '' } as const
  const call = { ...scope, id: 'zz-comes-after-the-log-of-its-agent' }
  const own = agentLog(scope)
  const { callRecords, log, database } = deployment.gateway.services
  await callRecords.resolve(scope, call.id, 'chat')
  await log.open(database, own)
  const holder = await database.pool.connect()
  const waiting = async () => {
    const { rows } = await holder.query(
      // for rows: housekeeping waits for tables
      `select count(*) from pg_stat_activity where datname = current_database()
       and wait_event_type = 'Lock' and wait_event in ('transactionid', 'tuple')`,
    )
    return Number(rows[0].count)
  }
  let written: Promise<unknown>
  try {
    await holder.query('begin')
    await holder.query('select from logs where id = $1 for update', [call.id])
    app.send({ type: 'call.callback', call: call.id, number: '+15550100100' })
    await until('the callback waits', async () => (await waiting()) >= 1)
    written = Promise.all([
      log.append(own, [{ type: 'message.waiting', data: {} }]),
      log.append(callLog(call), [{ type: 'user.message', data: {} }]),
    ])
    await until('the other waits too', async () => (await waiting()) >= 2) // or both, in a lane each
  } finally {
    await holder.query('rollback')
    holder.release()
  }
  await written
  await taken()
  assert.deepEqual((await typesOf(call)).toSorted(), ['callback.requested', 'user.message'])
  assert.doesNotMatch(deployment.log(), /deadlock/)
})

test('an opt-out is an entry with the number of the call, and refused in a call without one (N-503, ND-67)', async () => {
  const called = { channel: 'phone', direction: 'outbound', caller: '+34910000000', called: '+34911111111' }
  for (const [record, number] of [
    [phone, '+34911234567'],
    [called, '+34911111111'],
    [{ channel: 'msgapp', contact: '+34922222222' }, '+34922222222'],
  ] as const) {
    const call = await newCall(record)
    app.send({ type: 'call.opt_out', call: call.id })
    await taken()
    const [entry, ...more] = await entriesOf(deployment, call.id)
    assert.deepEqual([entry?.type, entry?.data, more], ['call.opt_out', { number }, []])
  }
  for (const record of [
    { channel: 'chat', contact: '+34911234567' },
    { channel: 'web' },
    { channel: 'phone' },
  ]) {
    const call = await newCall(record)
    assert.deepEqual(
      await app.ask({ type: 'call.opt_out', call: call.id }),
      refusal(call.id, 'this call has no number to opt out'),
    )
    assert.deepEqual(await typesOf(call), [])
  }
})

test('the fact of an opt-out and its entry are written together or not at all (ND-67)', async () => {
  const { database, log, appRequests, tools } = deployment.gateway.services
  const call = await newCall(phone)
  const [key] = (await deployment.sql('select id, label from keys where id = $1', [ci.key_id])).rows
  const caller = { ...call, kind: 'server', agents: [], label: key.label } as never
  const from = { socket: 'app_x', caller, holder: '', send: () => {} }
  const recorded: object[] = []
  const breaking = new AppFrames({
    database,
    log,
    appRequests,
    tools,
    recordOptOut: async (tx, fact) => {
      recorded.push(fact)
      await tx.rows({ name: 'break', text: 'select 1 / 0' })
    },
  })
  await assert.rejects(breaking.take(from, { type: 'call.opt_out', call: call.id }), /division by zero/)
  assert.deepEqual(recorded, [{ org: org.id, number: '+34911234567', call: call.id }])
  assert.deepEqual(await typesOf(call), [])
})

test("no app sends frames about another org's call, the other environment's, or another person's (ND-87)", async () => {
  const stranger = await (await deployment.newOrg()).serverToken('sandbox')
  const live = await org.serverToken('production')
  const [ana, ben] = [await org.person('developer'), await org.person('developer')]
  const ofAna = await openCall(deployment, ana.client, 'desk')
  const ofTeam = await newCall()
  const none = (id: string) => refusal(id, `there is no call ${id}`)
  const say = (id: string) => ({ type: 'call.say', call: id, text: 'x' })
  const askAs = async (key: string, id: string) => {
    const own = await AppClient.connect(deployment.url, key)
    own.send(say(id))
    const answer = await own.ask({ type: 'nothing' }) // to that, unless what was said is refused before
    await own.close()
    return answer
  }
  assert.deepEqual(await app.ask(say('call_unknown')), none('call_unknown'))
  for (const { key } of [stranger, live, ben]) assert.deepEqual(await askAs(key, ofTeam.id), none(ofTeam.id))
  assert.deepEqual(await askAs(ben.key, ofAna.id), none(ofAna.id))
  assert.deepEqual([await typesOf(ofTeam), await typesOf(ofAna)], [[], []])
  assert.equal((await askAs(ana.key, ofAna.id)).detail, 'no frame is called nothing')
  assert.equal((await typesOf(ofAna))[0], 'agent.message')
  app.send({ type: 'call.end', call: ofAna.id }) // the org's own app serves people without one
  await taken()
  assert.equal((await typesOf(ofAna)).at(-1), 'call.ended')
})

test('a person who works on some agents sends frames about the calls of those alone (I-303, ND-87)', async () => {
  const narrowed = await org.person('developer', { agents: ['sales'] })
  const own = await AppClient.connect(deployment.url, narrowed.key)
  const { rows } = await deployment.sql(`update calls set holder = $2 where id = $1 returning id`, [
    (await newCall()).id,
    narrowed.id,
  ])
  const [{ id }] = rows
  assert.deepEqual(
    await own.ask({ type: 'call.end', call: id }),
    refusal(id, 'this key works on sales alone', 'AGENT_NOT_ALLOWED'),
  )
  await own.close()
})

test('frames about calls that are not of their shape are refused in a sentence (ND-87, ND-90)', async () => {
  const call = (await newCall()).id
  await append(
    deployment,
    { id: call, org: org.id, env: 'sandbox', agent: 'desk', holder: '' },
    toolCall('t'),
  )
  const cases: [frame: object, detail: string, call?: unknown][] = [
    [{ type: 'call.say', text: 'x' }, 'call: is required', undefined],
    [{ type: 'call.say', call: 7, text: 'x' }, 'call: must be a string', 7],
    [{ type: 'call.say', call }, 'text: is required'],
    [{ type: 'call.say', call, text: '  ' }, 'text: is blank'],
    [{ type: 'call.say', call, text: 'x'.repeat(8001) }, 'text: has more than 8000 characters'],
    [{ type: 'call.callback', call }, 'number: is required'],
    [{ type: 'call.callback', call, number: '+15550100100', when: 9 }, 'when: must be a string'],
    [{ type: 'tool.result', call, result: 1 }, 'id: is required'],
    [{ type: 'tool.result', call, id: 't' }, 'a tool.result has a result or an error'],
    [
      { type: 'tool.result', call, id: 't', result: null, error: 'x' },
      'a tool.result has a result or an error',
    ],
    [{ type: 'tool.result', call, id: 't', error: {} }, 'error: must be a string'],
    [{ type: 'tool.result', call, id: 'u', result: 1 }, `call ${call} asked for no tool as u`],
    [{ type: 'preparing.settled', call }, 'turn: is required'],
    [{ type: 'preparing.settled', call, turn: 1.5 }, 'turn: must be a whole number'],
    [{ type: 'preparing.settled', call, turn: 1, set: [] }, 'set: must be an object'],
    [{ type: 'preparing.settled', call, turn: 1, set: { prompt: 1 } }, 'set.prompt: must be a string'],
    [{ type: 'preparing.settled', call, turn: 1, set: { metadata: 1 } }, 'set.metadata: must be an object'],
  ]
  for (const [frame, detail, named = call] of cases)
    assert.deepEqual(
      await app.ask(frame),
      refusal('call' in frame ? named : undefined, detail),
      JSON.stringify(frame).slice(0, 200),
    )
  app.send({ type: 'call.say', call, text: '😀'.repeat(8000) })
  app.send({ type: 'preparing.settled', call, turn: 9, set: { prompt: 'unasked' } })
  await taken()
})

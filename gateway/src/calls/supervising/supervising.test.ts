import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused, type Answer, type Client } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { until } from '../../../testing/until.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql } = deployment
const org = await deployment.newOrg()
const ana = await org.person('supervisor')
const ben = await org.person('supervisor')
await sql(`update members set name = case id when $1 then 'Ana' else 'Ben' end where id in ($1, $2)`, [
  ana.id,
  ben.id,
])
const token = await org.serverToken('sandbox')

async function newCall(channel = 'chat', client = token.client): Promise<string> {
  const { body } = await client.post('/v1/calls', { agent: 'desk', channel: 'web' })
  await sql('update calls set channel = $2 where id = $1', [body.call, channel])
  return body.call
}
const act = (client: Client, call: string, verb: string, text?: string) =>
  client.post(`/v1/calls/${call}/verbs`, { verb, ...(text !== undefined && { text }) })
const statusesOf = (answers: readonly Answer[]) =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b)
const entriesOf = async (call: string) =>
  (await sql('select type, entry from entries where log = $1 order by seq', [call])).rows.map(
    ({ type, entry }) => [type, JSON.parse(entry).data],
  )
const headOf = async (call: string) =>
  (await sql('select state, held_by, reason from calls where id = $1', [call])).rows[0]

test('a takeover holds the call and a release opens it again, each logged with the person who did it and as a pause of the session (N-085, N-088, N-491, N-492, ND-81, ND-112)', async () => {
  const call = await newCall()
  const taken = await act(ana.client, call, 'takeover')
  assert.deepEqual([taken.status, taken.body], [202, { call, verb: 'takeover', state: 'held' }])
  assert.deepEqual(await headOf(call), { state: 'held', held_by: ana.id, reason: null })
  const released = await act(ana.client, call, 'release')
  assert.deepEqual([released.status, released.body], [202, { call, verb: 'release', state: 'open' }])
  assert.deepEqual(await headOf(call), { state: 'open', held_by: null, reason: null })
  assert.deepEqual(await entriesOf(call), [
    ['call.taken_over', { by: ana.id }],
    ['session.paused', { sessionId: call }],
    ['call.released', { by: ana.id }],
    ['session.resumed', { sessionId: call }],
  ])
})

test('a call that a person holds is no other person’s to take over; its holder may ask again, and nothing is written (ND-81, T-75)', async () => {
  const call = await newCall()
  await act(ana.client, call, 'takeover')
  const before = await entriesOf(call)
  refused(await act(ben.client, call, 'takeover'), 409, 'Ana holds this call: theirs until it is released')
  const again = await act(ana.client, call, 'takeover')
  assert.deepEqual([again.status, again.body.state], [202, 'held'])
  assert.deepEqual(await entriesOf(call), before)
  assert.equal((await act(ben.client, call, 'release')).status, 202)
  assert.equal((await act(ben.client, call, 'takeover')).status, 202)
})

test('two keys of one label that name no person are two holders, and are called by their label (ND-81)', async () => {
  const twin = await org.serverToken('sandbox')
  const call = await newCall()
  assert.equal((await act(token.client, call, 'takeover')).status, 202)
  refused(await act(twin.client, call, 'takeover'), 409, 'ci holds this call: theirs until it is released')
  assert.equal((await act(token.client, call, 'takeover')).status, 202)
  assert.deepEqual((await entriesOf(call))[0], ['call.taken_over', { by: 'ci' }])
})

test('a call that no supervisor holds cannot be released (ND-81)', async () => {
  const call = await newCall()
  const sentence = 'no supervisor holds this call: there is nothing to release'
  refused(await act(ana.client, call, 'release'), 409, sentence)
  assert.deepEqual(await entriesOf(call), [])
})

test('two supervisors who take one call over concurrently, at two gateways: one holds it (T-75)', async () => {
  await using other = await deployment.another()
  const there = other.anonymous.as(ben.key)
  for (let round = 0; round < 10; round += 1) {
    const call = await newCall()
    const answers = await Promise.all([act(ana.client, call, 'takeover'), act(there, call, 'takeover')])
    assert.deepEqual(statusesOf(answers), [202, 409])
    const holder = answers[0].status === 202 ? ana.id : ben.id
    assert.equal((await headOf(call)).held_by, holder)
    assert.deepEqual(
      (await entriesOf(call)).map(([type]) => type),
      ['call.taken_over', 'session.paused'],
    )
  }
})

test('a takeover that waited for the end of the call is refused because it has ended', async () => {
  const call = await newCall()
  const held = await deployment.gateway.services.database.pool.connect()
  const areWaiting = async (count: number) => {
    const { rows } = await sql(`select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%from logs%'`)
    return rows[0].waiting >= count
  }
  let answers: Promise<Answer>[] = []
  try {
    await held.query('begin')
    await held.query('select from logs where id = $1 for update', [call])
    answers = [act(ana.client, call, 'end')]
    await until('the end waits', () => areWaiting(1))
    answers.push(act(ben.client, call, 'takeover'))
    await until('both wait', () => areWaiting(2))
  } finally {
    await held.query('rollback')
    held.release()
  }
  const [ended, taken] = await Promise.all(answers)
  assert.ok(ended && taken)
  assert.equal(ended.status, 202)
  refused(taken, 409, 'this call has ended')
})

test('what a supervisor says in a written call is an agent turn of a human, held or not (ND-81, ND-107)', async () => {
  for (const channel of ['chat', 'msgapp']) {
    const call = await newCall(channel)
    assert.equal((await act(ana.client, call, 'say', 'One moment.')).body.state, 'open')
    await act(ben.client, call, 'takeover')
    assert.equal((await act(ana.client, call, 'say', ' I am here. ')).body.state, 'held')
    const said = (await entriesOf(call)).filter(([type]) => type === 'agent.message').map(([, data]) => data)
    assert.deepEqual(
      said.map(({ messageId, ...data }) => [typeof messageId, data]),
      [
        ['string', { text: 'One moment.', source: 'human', by: ana.id }],
        ['string', { text: ' I am here. ', source: 'human', by: ana.id }],
      ],
    )
    assert.notEqual(said[0].messageId, said[1].messageId)
  }
})

test('what a supervisor says in a spoken call is asked of its worker (ND-81)', async () => {
  for (const channel of ['web', 'phone']) {
    const call = await newCall(channel)
    await act(ana.client, call, 'say', 'One moment.')
    const [[type, { messageId, ...data }]] = (await entriesOf(call)) as [[string, Record<string, unknown>]]
    assert.deepEqual([type, data], ['say.requested', { text: 'One moment.', by: ana.id }])
    assert.match(String(messageId), /^msg_[0-9a-f]{24}$/)
  }
})

test('a whisper is for the model of a call, written or spoken, and for none that a person holds', async () => {
  for (const channel of ['chat', 'phone']) {
    const call = await newCall(channel)
    const whispered = await act(ana.client, call, 'whisper', 'Offer a discount.')
    assert.deepEqual([whispered.status, whispered.body.state], [202, 'open'])
    assert.deepEqual(await entriesOf(call), [['call.whispered', { text: 'Offer a discount.', by: ana.id }]])
    await act(ben.client, call, 'takeover')
    const sentence = 'Ben holds this call: its model reads nothing until it is released'
    refused(await act(ana.client, call, 'whisper', 'Stop.'), 409, sentence)
  }
})

test('an end by a supervisor says so, with their name, also if another supervisor holds the call (N-089, N-090, ND-81)', async () => {
  const call = await newCall()
  await act(ben.client, call, 'takeover')
  const ended = await act(ana.client, call, 'end')
  assert.deepEqual([ended.status, ended.body], [202, { call, verb: 'end', state: 'ended' }])
  assert.deepEqual(await headOf(call), { state: 'ended', held_by: null, reason: 'hangup' })
  assert.deepEqual((await entriesOf(call)).at(-1), [
    'call.ended',
    { reason: 'hangup', by: 'supervisor', who: 'Ana' },
  ])
  for (const verb of ['takeover', 'release', 'say', 'whisper', 'end'])
    refused(await act(ana.client, call, verb, 'late'), 409, 'this call has ended')
})

test('of two supervisors who end a call concurrently, at two gateways, one does (ND-81)', async () => {
  await using other = await deployment.another()
  const call = await newCall()
  const answers = await Promise.all([
    act(ana.client, call, 'end'),
    act(other.anonymous.as(ben.key), call, 'end'),
  ])
  assert.deepEqual(statusesOf(answers), [202, 409])
  assert.equal((await entriesOf(call)).length, 1)
})

test('a verb is one of five, and words are said in one message (ND-81, ND-01)', async () => {
  const call = await newCall()
  const sentence = 'verb: must be one of takeover, release, say, whisper, end'
  for (const verb of ['mute', '', 'Takeover', 'toString'])
    refused(await act(ana.client, call, verb), 422, sentence)
  refused(await ana.client.post(`/v1/calls/${call}/verbs`, {}), 422, 'verb: is required')
  const length = 'text is 1 to 8000 characters, and not all of them blank'
  for (const verb of ['say', 'whisper']) {
    refused(await act(ana.client, call, verb), 422, 'text: is required')
    for (const text of ['', ' \n', 'x'.repeat(8001)])
      refused(await act(ana.client, call, verb, text), 400, length)
    assert.equal((await act(ana.client, call, verb, '🙂'.repeat(8000))).status, 202)
  }
})

test('an unknown call, another org’s, the other environment’s and an agent’s own log are one 404; without `talk` it is 403 (ND-81, ND-07)', async () => {
  const live = await org.serverToken('production')
  const elsewhere = await newCall('chat', live.client)
  const stranger = await (await deployment.newOrg()).serverToken('sandbox')
  const foreign = await newCall('chat', stranger.client)
  const { log } = deployment.gateway.services
  const own = {
    id: `${org.id}/sandbox/desk`,
    org: org.id,
    env: 'sandbox',
    agent: 'desk',
    call: null,
  } as const
  await log.open(deployment.gateway.services.database, own)
  for (const call of ['nosuch', elsewhere, foreign])
    refused(await act(ana.client, call, 'end'), 404, `there is no call ${call}`)
  refused(await act(ana.client, encodeURIComponent(own.id), 'end'), 404, `there is no call ${own.id}`)
  assert.deepEqual([(await headOf(elsewhere)).state, (await headOf(foreign)).state], ['open', 'open'])
  const qa = await org.person('qa')
  const sentence = 'this key does not open talk: it opens calls · evals'
  refused(await act(qa.client, await newCall(), 'end'), 403, sentence)
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { AppClient } from '../../../testing/agents/app-client.ts'
import { refused } from '../../../testing/client.ts'
import { fleetKey, noLimit, startDeployment } from '../../../testing/deployment.ts'
import { entriesOf, newNumber, SpokenAgent, typesOf } from '../../../testing/calls/spoken-calls.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'
import { minuteMs, secondMs } from '../../foundation/clock.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql, clock } = deployment
const org = await deployment.newOrg()
const desk = await new SpokenAgent(deployment, org, 'desk').route()
const app = await desk.holdingApp()

const frameOf = (client: AppClient, type: string, call: string) =>
  until(`${type} comes`, () => client.frames.find((frame) => frame.type === type && frame.call === call))
const lastCallOf = async (number: string) =>
  (await sql('select last_call_at from numbers where number = $1', [number])).rows[0].last_call_at

test('a call that came to a number opens with the agent it leads to, whose app receives the Call (ND-40, N-414, N-416, N-417, N-418, N-419, N-420, SD-36)', async () => {
  const answer = await desk.ask({ extension: '42#' })
  assert.equal(answer.status, 201, answer.text)
  const { call } = answer.body
  assert.match(call, /^call_[0-9a-f]{24}$/)
  assert.deepEqual(answer.body, { call, org: org.id, env: 'sandbox', agent: 'desk', line: null })
  const { data, agent } = await frameOf(app, 'call.started', call)
  assert.equal(agent, 'desk')
  const { startedAt, ...told } = data.call
  assert.ok(Math.abs(startedAt - clock.now().getTime()) < 10 * secondMs)
  assert.deepEqual(told, {
    id: call,
    agent: 'desk',
    from: '+15559990000',
    to: desk.number,
    direction: 'inbound',
    transport: 'phone',
    metadata: {},
    language: null,
    extension: '42#',
    routedFrom: null,
    lineTranscript: [],
  })
  assert.deepEqual(typesOf(await entriesOf(deployment, call)), ['call.started'])
  const { rows } = await sql(
    'select channel, contact, beat_at is not null as beats from calls where id = $1',
    [call],
  )
  assert.deepEqual(rows, [{ channel: 'phone', contact: '+15559990000', beats: true }])
})

test('a call that was sent on has the number that sent it on in its metadata, if it is one', async () => {
  for (const [diverted_from, metadata] of [
    ['+15558880000', { diverted_from: '+15558880000' }],
    ['desk@pbx', {}],
  ] as const) {
    const call = await desk.open({ diverted_from })
    assert.deepEqual((await frameOf(app, 'call.started', call)).data.call.metadata, metadata)
  }
})

test('a caller who withholds the number is stored without a contact to call back (ND-40)', async () => {
  for (const from of ['', 'anonymous']) {
    const call = await desk.open({ from })
    const { rows } = await sql('select caller, contact from calls where id = $1', [call])
    assert.deepEqual(rows, [{ caller: from || null, contact: null }])
  }
})

test('a number that leads nowhere, to messages, or into another org or environment opens no call (ND-40)', async () => {
  const nowhere = new SpokenAgent(deployment, org, 'desk')
  const sentence = (number: string) => `no agent answers at ${number}: route it to one first`
  refused(await nowhere.ask(), 404, sentence(nowhere.number))
  const messages = await new SpokenAgent(deployment, org, 'desk').route({ channel: 'msgapp' })
  refused(await messages.ask(), 404, sentence(messages.number))
  const production = await new SpokenAgent(deployment, org, 'desk').route({ env: 'production' })
  const own = (await org.serverToken('sandbox')).client
  const asked = { number: production.number, from: '+15559990000' }
  refused(await own.post('/v1/worker/calls', asked), 404, sentence(production.number))
  const others = (await (await deployment.newOrg()).serverToken('sandbox')).client
  refused(
    await others.post('/v1/worker/calls', { ...asked, number: desk.number }),
    404,
    sentence(desk.number),
  )
  const elsewhere = desk.fleet.with({ 'svc-org': (await deployment.newOrg()).slug })
  refused(
    await elsewhere.post('/v1/worker/calls', { ...asked, number: desk.number }),
    404,
    sentence(desk.number),
  )
  assert.equal((await own.post('/v1/worker/calls', { ...asked, number: desk.number })).status, 201)
})

test('a hooked number that awaits approval is refused and leaves no trace (ND-40, N-071)', async () => {
  const hooked = await new SpokenAgent(deployment, org, 'desk').route({ origin: 'hooked', approved: false })
  const before = (await sql('select count(*)::int as calls from calls')).rows
  refused(await hooked.ask(), 403, `${hooked.number} rings once the operator has approved it`)
  assert.equal(await lastCallOf(hooked.number), null)
  assert.deepEqual((await sql('select count(*)::int as calls from calls')).rows, before)
  await sql('update numbers set approved_at = now() where number = $1', [hooked.number])
  assert.equal((await hooked.ask()).status, 201)
})

test('when a call last reached a number is kept at most once a minute (N-033, ND-40)', async () => {
  const number = await new SpokenAgent(deployment, org, 'desk').route()
  await number.open()
  const first = await lastCallOf(number.number)
  assert.ok(Math.abs(Date.parse(first) - clock.now().getTime()) < 10 * secondMs)
  clock.forward(minuteMs - 10 * secondMs)
  await number.open()
  assert.equal(await lastCallOf(number.number), first)
  clock.forward(10 * secondMs)
  await number.open()
  assert.ok(Date.parse(await lastCallOf(number.number)) >= Date.parse(first) + minuteMs)
})

test('a call for an agent that no app holds is refused, and yet it reached the platform (ND-40)', async () => {
  const unheld = await new SpokenAgent(deployment, org, 'nobodys').route()
  const before = (await sql('select count(*)::int as calls from calls')).rows
  refused(await unheld.ask(), 409, 'no app holds nobodys in sandbox: connect one, and call again')
  assert.notEqual(await lastCallOf(unheld.number), null)
  assert.deepEqual((await sql('select count(*)::int as calls from calls')).rows, before)
})

test('a dry run says whether a call would open, as the opening would, and opens none', async () => {
  const number = newNumber()
  const quiet = await new SpokenAgent(deployment, org, 'quiet', number).route()
  const unheld = 'no app holds quiet in sandbox: connect one, and call again'
  refused(await quiet.ask({ dry_run: true }), 409, unheld)
  const held = await quiet.holdingApp()
  const count = async () =>
    (await sql('select count(*)::int as calls from calls where org = $1', [org.id])).rows
  const before = await count()
  const answers = await Promise.all(
    [{ call: 'call_dry' }, { call: 'call_dry' }, { overflow: true }].map((more) =>
      quiet.ask({ dry_run: true, from: newNumber(), ...more }),
    ),
  )
  for (const { status, body } of answers) assert.deepEqual([status, body.agent], [200, 'quiet'])
  assert.deepEqual(await count(), before)
  const from = newNumber()
  done(await quiet.ask({ dry_run: true, from }))
  const { rows } = await sql('select from known_contacts where contact = $1', [from])
  assert.deepEqual([rows, held.frames.some(({ type }) => type === 'call.started')], [[], false])
  assert.equal(await quiet.open({ call: 'call_dry' }), 'call_dry')
  refused(
    await desk.fleet.post('/v1/worker/calls', { call: 'call_dry', dry_run: true }),
    400,
    'dry_run needs the number that was called, or the agent',
  )
})

test('a worker that names the call itself opens it once, however often and wherever it asks (ND-40)', async () => {
  await using other = await deployment.another()
  const named = { call: `wk-${newNumber().slice(1)}`, worker: 'w1' }
  const doors = [desk.fleet, other.anonymous.as(fleetKey)]
  const body = { number: desk.number, from: '+15559990000', ...named }
  const answers = await Promise.all([...doors, ...doors].map((door) => door.post('/v1/worker/calls', body)))
  for (const answer of answers)
    assert.deepEqual([answer.status, answer.body.call], [201, named.call], answer.text)
  assert.deepEqual(typesOf(await entriesOf(deployment, named.call)), ['call.started'])
  const another = { ...body, worker: 'w2' }
  refused(await desk.fleet.post('/v1/worker/calls', another), 409, `there is a call ${named.call} already`)
  refused(
    await desk.ask({ call: 'no spaces' }),
    400,
    'call is 1 to 128 letters, digits, dashes and underscores',
  )
})

test('what is no extension, and a request that names nothing, is refused in a sentence (ND-40)', async () => {
  refused(await desk.ask({ extension: '12a' }), 400, 'an extension is up to 32 digits, * and #')
  refused(
    await desk.fleet.post('/v1/worker/calls', { from: '+15559990000' }),
    400,
    'name the number that was called, or the call to take',
  )
})

test('an org runs as many calls at once as its quota allows, also concurrently (ID-38)', async () => {
  const small = await deployment.newOrg()
  const phone = await new SpokenAgent(deployment, small, 'desk').route()
  await phone.holdingApp()
  const quotas = { ...noLimit, concurrent_calls: 2 }
  done(await deployment.operator.put(`/v1/ops/orgs/${small.slug}/quotas`, quotas))
  const answers = await Promise.all([0, 1, 2, 3, 4].map(() => phone.ask()))
  const opened = answers.filter(({ status }) => status === 201)
  assert.equal(opened.length, 2)
  const over = answers.find(({ status }) => status !== 201)
  assert.ok(over)
  refused(
    over,
    429,
    `org ${small.slug} runs 2 of its 2 calls at once: wait until one ends, or ask the operator for more`,
  )
  done(await phone.append(opened[0]?.body.call, [{ type: 'call.ended', data: { reason: 'hangup' } }]))
  assert.equal((await phone.ask()).status, 201)
})

test('a call that a browser opened is taken by one worker, which may ask again (SD-36, N-414)', async () => {
  const talker = (await org.serverToken('sandbox')).client
  const { call } = done(await talker.post('/v1/calls', { agent: 'desk' }))
  const take = (worker?: string) => desk.fleet.post('/v1/worker/calls', { call, ...(worker && { worker }) })
  const answers = await Promise.all(['a', 'b', 'c'].map(take))
  const taken = answers.filter(({ status }) => status === 201)
  assert.equal(taken.length, 1)
  for (const answer of answers.filter(({ status }) => status !== 201))
    refused(answer, 409, `a worker runs call ${call} already`)
  const winner = ['a', 'b', 'c'][answers.findIndex(({ status }) => status === 201)]
  assert.deepEqual((await take(winner)).body, {
    call,
    org: org.id,
    env: 'sandbox',
    agent: 'desk',
    line: null,
  })
  refused(await take(), 409, `a worker runs call ${call} already`)
  assert.deepEqual(typesOf(await entriesOf(deployment, call)), ['call.started'])
  const { data } = await frameOf(app, 'call.started', call)
  assert.equal(data.call.transport, 'webrtc')
})

test('a call that no worker can take is refused: unknown, of another org, written, ended or without an app (SD-36)', async () => {
  const talker = (await org.serverToken('sandbox')).client
  const take = (call: string, client = desk.fleet) => client.post('/v1/worker/calls', { call })
  refused(await take('call_none'), 404, 'there is no call call_none')
  const { call } = done(await talker.post('/v1/calls', { agent: 'desk' }))
  const others = (await (await deployment.newOrg()).serverToken('sandbox')).client
  refused(await take(call, others), 404, `there is no call ${call}`)
  const written = done(await talker.post('/v1/calls', { agent: 'desk', channel: 'chat' })).call
  refused(await take(written), 409, `call ${written} is a written one, and no worker runs those`)
  done(await desk.append(call, [{ type: 'call.ended', data: { reason: 'hangup' } }]))
  refused(await take(call), 409, 'this call has ended')
  const unheld = done(await talker.post('/v1/calls', { agent: 'nobodys' })).call
  refused(await take(unheld), 409, 'no app holds nobodys in sandbox: connect one, and call again')
})

test('a worker that finds the fleet full opens a call that only takes the number and ends (ND-96, N-055, N-371, N-373)', async () => {
  const small = await deployment.newOrg()
  const phone = await new SpokenAgent(deployment, small, 'desk').route()
  const its = await phone.holdingApp()
  done(
    await deployment.operator.put(`/v1/ops/orgs/${small.slug}/quotas`, { ...noLimit, concurrent_calls: 0 }),
  )
  const call = await phone.open({ overflow: true })
  const entries = await entriesOf(deployment, call)
  assert.deepEqual(typesOf(entries), ['call.started', 'callback.requested', 'call.ended'])
  const wanted = {
    number: '+15559990000',
    when: null,
    note: null,
    call,
    channel: 'phone',
    contact: '+15559990000',
    via: 'overflow',
  }
  assert.deepEqual(entries[1]?.data, wanted)
  assert.deepEqual(entries[2]?.data, { reason: 'hangup' })
  const own = (await entriesOf(deployment, `${small.id}/sandbox/desk`)).filter(
    ({ type }) => type === 'callback.requested',
  )
  assert.deepEqual(
    own.map(({ data, call: of }) => ({ data, of })),
    [{ data: wanted, of: call }],
  )
  assert.equal((await frameOf(its, 'call.ended', call)).data.reason, 'hangup')
  assert.deepEqual(typesOf(await entriesOf(deployment, await phone.open({ overflow: true, from: '' }))), [
    'call.started',
    'call.ended',
  ])
})

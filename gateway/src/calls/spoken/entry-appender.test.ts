import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { fleetKey, startDeployment } from '../../../testing/deployment.ts'
import { entriesOf, SpokenAgent, typesOf } from '../../../testing/calls/spoken-calls.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'
import { secondMs } from '../../foundation/clock.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql, clock } = deployment
const org = await deployment.newOrg()
const desk = await new SpokenAgent(deployment, org, 'desk').route()
const app = await desk.holdingApp()

const said = (text: string) => ({ type: 'user.message', data: { text, messageId: `m-${text}` } })
const ended = { type: 'call.ended', data: { reason: 'hangup' } }
const textsOf = async (call: string) =>
  (await entriesOf(deployment, call))
    .filter(({ type }) => type === 'user.message')
    .map(({ data }) => data['text'])

test('what a worker appends is stored and sent to the app, and the answer is the last seq (ND-40, SD-54, N-408, N-445)', async () => {
  const call = await desk.open()
  assert.deepEqual(done(await desk.append(call, [said('one'), said('two')])), { seq: 3 })
  assert.deepEqual(done(await desk.append(call, [{ type: 'turn.end', data: { probability: 1 } }])), {
    seq: 4,
  })
  const [, first] = await entriesOf(deployment, call)
  assert.deepEqual(
    { ...first, ts: 0 },
    { seq: 2, ts: 0, call, agent: 'desk', type: 'user.message', ephemeral: false, data: said('one').data },
  )
  const told = await until('the app receives the events', () =>
    app.frames.find((frame) => frame.type === 'user.message' && frame.call === call),
  )
  assert.deepEqual(told, { type: 'user.message', agent: 'desk', call, data: said('one').data })
  const own = (await org.serverToken('sandbox')).client
  assert.deepEqual(done(await own.post(`/v1/calls/${call}/events`, { entries: [] })), { seq: 4 })
})

test('the words that are only shown reach readers in their place, and are not kept (ND-106)', async () => {
  const call = await desk.open()
  await until('the app follows', () => app.frames.some((frame) => frame.call === call))
  const seen: string[] = []
  const { stop } = await deployment.gateway.services.liveLogs.follow(call, (entries) =>
    seen.push(...entries.map(({ type }) => type)),
  )
  const utterance = [
    { type: 'speech.started', data: {} },
    { type: 'user.speaking', data: { text: 'he' } },
    { type: 'speech.ended', data: {} },
    said('hello'),
    { type: 'turn.end', data: { text: 'hello', probability: 0.9 } },
    { type: 'bot.speaking', data: { messageId: 'b', text: '' } },
    { type: 'bot.word', data: { messageId: 'b', word: 'Hi' } },
    { type: 'bot.finished', data: { messageId: 'b', durationMs: 300 } },
  ]
  assert.deepEqual(done(await desk.append(call, utterance, 1)), { seq: 5 })
  await until('all is seen', () => seen.length >= utterance.length)
  stop()
  assert.deepEqual(seen, typesOf(utterance as never))
  assert.deepEqual(typesOf(await entriesOf(deployment, call)), [
    'call.started',
    'user.message',
    'turn.end',
    'bot.speaking',
    'bot.finished',
  ])
  const told = await until('the app receives the events', () => {
    const frames = app.frames.filter((frame) => frame.call === call).map(({ type }) => type)
    return frames.length > utterance.length && frames
  })
  assert.deepEqual(told, ['call.started', ...seen])
})

test('a batch is taken once, however often and wherever it comes concurrently, and none before its turn (ND-40)', async () => {
  await using other = await deployment.another()
  const there = other.anonymous.as(fleetKey)
  const call = await desk.open()
  const path = `/v1/calls/${call}/events`
  const send = (client: typeof there, text: string, batch: number) =>
    client.post(path, { entries: [said(text)], batch })
  const answers = await Promise.all([0, 1, 2, 3, 4, 5].map((n) => send(n % 2 ? there : desk.fleet, 'one', 1)))
  for (const answer of answers) assert.deepEqual(done(answer), { seq: 2 })
  assert.deepEqual(await textsOf(call), ['one'])
  refused(await send(there, 'three', 3), 409, 'batch 3 came before batch 2: send that one first')
  assert.deepEqual(done(await send(there, 'two', 2)), { seq: 3 })
  assert.deepEqual(done(await send(desk.fleet, 'one', 1)), { seq: 3 })
  assert.deepEqual(await textsOf(call), ['one', 'two'])
})

test('a batch that comes twice in one turn of this process is written once, and other entries are still written beside it', async () => {
  const call = await desk.open()
  const { log } = deployment.gateway.services
  const ref = { id: call, org: org.id, env: 'sandbox', agent: 'desk', call } as const
  const runs = [{ isEphemeral: false, entries: [said('one')] }]
  const results = await Promise.allSettled([
    log.append(ref, [said('before')]),
    log.appendBatch(ref, runs, 1),
    log.appendBatch(ref, runs, 1),
    log.append(ref, [said('after')]),
    log.appendBatch(ref, [{ isEphemeral: false, entries: [said('two')] }], 2),
  ])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  )
  assert.deepEqual(await textsOf(call), ['before', 'one', 'after', 'two'])
})

test('the batch that ended a call may come again, and nothing else does (N-435, N-437)', async () => {
  const call = await desk.open()
  done(await desk.append(call, [said('bye'), ended], 1))
  assert.deepEqual(done(await desk.append(call, [said('bye'), ended], 1)), { seq: 3 })
  refused(await desk.append(call, [said('late')], 2), 409, 'this call has ended')
  refused(await desk.append(call, [said('late')]), 409, 'this call has ended')
  refused(await desk.append(call, []), 409, 'this call has ended')
  const told = await until('the app receives the events', () =>
    app.frames.find((frame) => frame.type === 'call.ended' && frame.call === call),
  )
  assert.equal(told.data.reason, 'hangup')
  assert.deepEqual([told.data.call.reason, typeof told.data.call.endedAt], ['hangup', 'number'])
})

test('an entry that is refused takes the whole batch with it, and the batch may be sent again (ND-40)', async () => {
  const call = await desk.open()
  const wrong = await desk.append(call, [said('one'), { type: 'callback.requested', data: {} }], 1)
  refused(wrong, 400, 'the gateway itself writes callback.requested')
  const shapeless = await desk.append(call, [said('one'), { type: 'turn.end' }], 1)
  refused(shapeless, 422, 'entries.1.data: is required')
  const many = Array.from({ length: 1001 }, () => said('x'))
  refused(await desk.append(call, many, 1), 400, 'entries: must NOT have more than 1000 items')
  const long = await desk.append(call, [said('x'.repeat(1024 * 1024))], 1)
  assert.equal(long.status, 413)
  assert.deepEqual(await textsOf(call), [])
  done(await desk.append(call, [said('one')], 1))
  assert.deepEqual(await textsOf(call), ['one'])
})

test("another org's call, one of the other environment and a written one take nothing from a worker (SD-54)", async () => {
  const call = await desk.open()
  const path = `/v1/calls/${call}/events`
  const body = { entries: [said('x')] }
  const others = (await (await deployment.newOrg()).serverToken('sandbox')).client
  refused(await others.post(path, body), 404, `there is no call ${call}`)
  const production = (await org.serverToken('production')).client
  refused(await production.post(path, body), 404, `there is no call ${call}`)
  refused(await desk.append('call_none', []), 404, 'there is no call call_none')
  const talker = (await org.serverToken('sandbox')).client
  const written = done(await talker.post('/v1/calls', { agent: 'desk', channel: 'chat' })).call
  refused(await desk.append(written, []), 409, `call ${written} is a written one, and no worker runs those`)
  const person = await org.person('admin')
  assert.equal((await person.client.post(path, body)).status, 403)
  assert.deepEqual(await textsOf(call), [])
})

test('an empty list is a sign of life and leaves nothing in the log (ND-97)', async () => {
  const call = await desk.open()
  const beat = async () =>
    Date.parse((await sql('select beat_at from call_heartbeats where call = $1', [call])).rows[0].beat_at)
  const before = await beat()
  clock.forward(20 * secondMs)
  assert.deepEqual(done(await desk.append(call, [])), { seq: 1 })
  assert.ok((await beat()) >= before + 20 * secondMs)
  assert.deepEqual(typesOf(await entriesOf(deployment, call)), ['call.started'])
})

test('what a call used is priced as it comes, whatever the worker says it costs (SD-56, S-396, S-397)', async () => {
  const call = await desk.open()
  const table = await deployment.gateway.services.rates.table()
  const [vendor, model] = ['openai', 'gpt-4o-mini']
  const rate = table.find('llm', vendor, model)
  assert.ok(rate)
  const used = { stage: 'llm', vendor, model, input_tokens: 1000, output_tokens: 500, credits: 77 }
  const blocks = ['lent', 'yours', 'none'].map((key) => ({ type: 'metrics', data: { ...used, key } }))
  done(await desk.append(call, blocks))
  const kept = (await entriesOf(deployment, call)).filter(({ type }) => type === 'metrics')
  assert.deepEqual(
    kept.map(({ data }) => [data['vendor'], data['credits']]),
    [
      [vendor, 1500 * rate.credits],
      [vendor, 0],
      [vendor, 0],
    ],
  )
})

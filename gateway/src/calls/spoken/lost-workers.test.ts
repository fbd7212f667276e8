import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment } from '../../../testing/deployment.ts'
import { entriesOf, SpokenAgent, typesOf, whileHeld } from '../../../testing/calls/spoken-calls.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'
import { secondMs } from '../../foundation/clock.ts'
import { LostWorkers } from './lost-workers.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
const { sql } = deployment
const org = await deployment.newOrg()
const desk = await new SpokenAgent(deployment, org, 'desk').route()
const app = await desk.holdingApp()

const hasEnded = async (call: string) =>
  (await sql('select ended_at from calls where id = $1', [call])).rows[0].ended_at !== null
const callbacksOf = async (call: string) =>
  (await entriesOf(deployment, `${org.id}/sandbox/desk`)).filter(
    (entry) => entry.type === 'callback.requested' && entry.call === call,
  )
const gateways = [deployment, other]
const polling = () => gateways.map(({ gateway }) => gateway.services.lostWorkers.poll())
const silence = (call: string, ms: number) =>
  sql(`update calls set beat_at = beat_at - make_interval(secs => $2) where id = $1`, [call, ms / 1000])
const silentCall = async (ms: number, more: object = {}) => {
  const call = await desk.open(more)
  await silence(call, ms)
  return call
}

test('a phone call whose worker is silent for 30 seconds is ended by whichever gateway looks: the caller hears an apology and is offered a callback (ND-97, N-374, N-375, N-376, N-377)', async () => {
  const call = await silentCall(32 * secondMs)
  await until('a gateway has looked', () => hasEnded(call))
  const entries = await entriesOf(deployment, call)
  assert.deepEqual(typesOf(entries), [
    'call.started',
    'say.requested',
    'error',
    'callback.requested',
    'call.ended',
  ])
  const [, said, error, requested, ended] = entries.map(({ data }) => data)
  assert.equal(said?.['text'], 'Sorry, something went wrong on our side. We will call you back.')
  assert.deepEqual(error, {
    code: 'worker_lost',
    detail: 'the worker that ran the call gave no sign of life for 30 seconds',
  })
  assert.deepEqual(requested, {
    number: '+15559990000',
    when: null,
    note: null,
    call,
    channel: 'phone',
    contact: '+15559990000',
    via: 'overflow',
  })
  assert.deepEqual(ended, { reason: 'failed' })
  assert.deepEqual(
    (await callbacksOf(call)).map(({ data }) => data),
    [requested],
  )
  const told = await until('the app receives the event', () =>
    app.frames.find((frame) => frame.type === 'call.ended' && frame.call === call),
  )
  assert.equal(told.data.reason, 'failed')
  const { rows } = await sql('select errors, reason from calls where id = $1', [call])
  assert.deepEqual(rows, [{ errors: 1, reason: 'failed' }])
})

test('two gateways that look concurrently end a call once, and the caller hears of it once (ND-97, T-104)', async () => {
  const told: string[] = []
  const letGo: string[] = []
  const hangUp = async ({ id }: { id: string }) => {
    assert.ok(told.includes(id), 'no caller hears of it after the end')
    letGo.push(id)
  }
  const telling = gateways.map(({ gateway: { services } }) => {
    const { database, clock, logger, log } = services
    const tellCaller = async ({ id }: { id: string }) => void told.push(id)
    return new LostWorkers({ database, clock, logger, log, tellCaller, hangUp })
  })
  const calls = await Promise.all([0, 1, 2, 3].map(() => silentCall(40 * secondMs)))
  await Promise.all([...telling, ...telling].map((lost) => lost.poll()))
  for (const call of calls) {
    const types = typesOf(await entriesOf(deployment, call))
    assert.deepEqual(types.slice(1), ['say.requested', 'error', 'callback.requested', 'call.ended'])
    assert.equal((await callbacksOf(call)).length, 1)
  }
  const byUs = told.filter((id) => calls.includes(id))
  assert.deepEqual(new Set(byUs).size, byUs.length)
  await until('everyone left in a call is disconnected', () => letGo.length === told.length)
  assert.deepEqual(letGo.toSorted(), told.toSorted())
})

test('a sign of life that comes while the log is held saves the call (ND-97)', async () => {
  const call = await desk.open()
  let looked: Promise<unknown> | undefined
  await whileHeld(deployment, 'select from logs where id = $1 for update', call, 2, async (held) => {
    await silence(call, 40 * secondMs) // not before it is held: the gateways look by themselves as well
    looked = Promise.all(polling())
    await held.areWaiting()
    await held.query('update calls set beat_at = $2 where id = $1', [call, deployment.clock.now()])
  })
  await looked
  assert.equal(await hasEnded(call), false)
  done(await desk.append(call, []))
  assert.deepEqual(typesOf(await entriesOf(deployment, call)), ['call.started'])
})

test('a worker that said something within 30 seconds is not lost (ND-97)', async () => {
  const call = await silentCall(25 * secondMs)
  await Promise.all(polling())
  assert.equal(await hasEnded(call), false)
})

test('a caller without a number hears only that something went wrong, and no callback is requested (ND-97)', async () => {
  const call = await silentCall(40 * secondMs, { from: '' })
  await Promise.all(polling())
  const entries = await entriesOf(deployment, call)
  assert.deepEqual(typesOf(entries), ['call.started', 'say.requested', 'error', 'call.ended'])
  assert.equal(entries[1]?.data['text'], 'Sorry, something went wrong on our side.')
})

test("a browser's call whose worker is lost ends without a callback (ND-97)", async () => {
  const talker = (await org.serverToken('sandbox')).client
  const { call } = done(await talker.post('/v1/calls', { agent: 'desk' }))
  done(await desk.fleet.post('/v1/worker/calls', { call }))
  await sql(`update calls set beat_at = beat_at - interval '40 seconds' where id = $1`, [call])
  await Promise.all(polling())
  assert.deepEqual(typesOf(await entriesOf(deployment, call)), ['call.started', 'error', 'call.ended'])
})

import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { PlacingOrg, ringingCalls, startPlacing } from '../../../testing/telephony/placing-fixture.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'
import { dayMs, secondMs } from '../../foundation/clock.ts'

const { media, deployment } = await startPlacing()
after(() => media.stop())
after(() => deployment[Symbol.asyncDispose]())
const { sql, clock } = deployment
const { placements } = deployment.gateway.services
beforeEach(() => media.dials.go('hold'))

const { heldDial, isHungUp, settledAt, ringing } = ringingCalls({ media, deployment })

test('a call of a gateway that died while placing it is ended dial_failed, once, and nothing is dialled again (ND-59)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const call = await ringing(placingOrg)
  const dials = media.asked('CreateSIPParticipant').length
  const other = await deployment.another()
  // as a gateway that was killed leaves it behind
  await sql(`insert into gateways (id, seen_at) values ('gw_dead', $1)`, [
    new Date(clock.now().getTime() - 15 * secondMs),
  ])
  await sql(`update placements set gateway = 'gw_dead' where call = $1`, [call])
  await other.gateway.services.placements.poll()
  assert.equal(await settledAt(call), null)
  await sql(`delete from gateways where id = 'gw_dead'`)
  const third = await deployment.another()
  await Promise.all([other, third].map(({ gateway }) => gateway.services.placements.poll()))
  assert.equal(await placingOrg.reason(call), 'dial_failed')
  const entries = await placingOrg.entries(call)
  assert.deepEqual(
    entries.map(({ type }) => type),
    ['call.dialing', 'error', 'call.ended'],
  )
  const detail = 'the gateway that placed the call is gone'
  assert.deepEqual(entries[1]?.data, { code: 'dial_failed', detail })
  await isHungUp(call)
  assert.equal(media.asked('CreateSIPParticipant').length, dials)
})

test('one that was ended before a gateway noticed is settled, and nothing more is written of it (ND-59)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const call = await ringing(placingOrg)
  done(await placingOrg.client.post(`/v1/calls/${call}/verbs`, { verb: 'end' }))
  await until('it is settled', () => settledAt(call))
  await sql(`update placements set gateway = 'gw_long_dead', settled_at = null where call = $1`, [call])
  await placements.poll()
  assert.ok(await settledAt(call))
  assert.deepEqual(await placingOrg.typesUpTo(call, 'call.ended'), ['call.dialing', 'call.ended'])
  assert.doesNotMatch(deployment.log(), /was not ended/)
})

test('an answered call that no worker takes for 30 seconds is ended and hung up', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const call = await ringing(placingOrg)
  ;(await heldDial(call)).answer()
  await placingOrg.typesUpTo(call, 'call.started')
  clock.forward(20 * secondMs)
  await placements.poll()
  assert.equal(await settledAt(call), null)
  clock.forward(11 * secondMs)
  await placements.poll()
  assert.equal(await placingOrg.reason(call), 'failed')
  const error = (await placingOrg.entries(call)).find(({ type }) => type === 'error')
  assert.deepEqual(error?.data, {
    code: 'worker_lost',
    detail: 'no worker took the call within 30 seconds after it was answered',
  })
  await isHungUp(call)
})

test('what was settled is forgotten after a day', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  media.dials.go(486)
  const call = await placingOrg.dial(await placingOrg.known())
  await placingOrg.typesUpTo(call, 'call.ended')
  const kept = async () => (await sql('select from placements where call = $1', [call])).rowCount
  await deployment.gateway.services.housekeeping.run()
  assert.equal(await kept(), 1)
  clock.forward(dayMs)
  await deployment.gateway.services.housekeeping.run()
  assert.equal(await kept(), 0)
})

test('a worker that goes away while it rings causes no announcement and no callback', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const call = await ringing(placingOrg)
  done(await placingOrg.fleet.post('/v1/worker/calls', { call, worker: 'w1' }))
  clock.forward(32 * secondMs)
  await deployment.gateway.services.lostWorkers.poll()
  assert.equal(await placingOrg.reason(call), 'dial_failed')
  assert.deepEqual(await placingOrg.typesUpTo(call, 'call.ended'), ['call.dialing', 'error', 'call.ended'])
  await isHungUp(call)
  const talking = await ringing(placingOrg)
  done(await placingOrg.fleet.post('/v1/worker/calls', { call: talking, worker: 'w1' }))
  ;(await heldDial(talking)).answer()
  await placingOrg.typesUpTo(talking, 'call.started')
  clock.forward(32 * secondMs)
  await deployment.gateway.services.lostWorkers.poll()
  assert.equal(await placingOrg.reason(talking), 'failed')
  const types = (await placingOrg.entries(talking)).map(({ type }) => type)
  assert.deepEqual(types.slice(3), ['say.requested', 'error', 'callback.requested', 'call.ended'])
})

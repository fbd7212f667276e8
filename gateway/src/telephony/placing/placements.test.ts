import assert from 'node:assert/strict'
import { after, beforeEach, mock, test } from 'node:test'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { refused } from '../../../testing/client.ts'
import { noLimit, startDeployment } from '../../../testing/deployment.ts'
import { PlacingOrg, ringingCalls, startPlacing } from '../../../testing/telephony/placing-fixture.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'

const { media, deployment } = await startPlacing()
after(() => media.stop())
after(() => deployment[Symbol.asyncDispose]())
const { sql } = deployment
const { placements } = deployment.gateway.services
beforeEach(() => media.dials.go('hold'))

const { heldDial, isHungUp, settledAt, ringing } = ringingCalls({ media, deployment })

test('a call that is ended while it rings is hung up, and its log says who ended it (ND-59)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const bySupervisor = await ringing(placingOrg)
  done(await placingOrg.client.post(`/v1/calls/${bySupervisor}/verbs`, { verb: 'end' }))
  await isHungUp(bySupervisor)
  const byApp = await ringing(placingOrg)
  placingOrg.app.send({ type: 'call.end', call: byApp })
  await isHungUp(byApp)
  for (const [call, by] of [
    [bySupervisor, 'supervisor'],
    [byApp, 'app'],
  ] as const) {
    await until('it is settled', () => settledAt(call))
    const [dialing, ended, ...more] = await placingOrg.entries(call)
    assert.deepEqual([dialing?.type, ended?.type, more], ['call.dialing', 'call.ended', []])
    assert.deepEqual([ended?.data['reason'], ended?.data['by']], ['hangup', by])
  }
})

test('a call that is ended at another gateway is hung up as well (ND-59)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const other = await deployment.another()
  const call = await ringing(placingOrg)
  done(await other.anonymous.as(placingOrg.key).post(`/v1/calls/${call}/verbs`, { verb: 'end' }))
  await isHungUp(call)
})

test('a far end that answers while the call is being ended is hung up (ND-59)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const call = await ringing(placingOrg)
  const dial = await heldDial(call)
  const holder = await deployment.gateway.services.database.pool.connect()
  try {
    await holder.query('begin')
    await holder.query('select from logs where id = $1 for update', [call])
    const ended = placingOrg.client.post(`/v1/calls/${call}/verbs`, { verb: 'end' })
    const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await until('the end waits', async () => (await sql(waits)).rowCount === 1)
    dial.answer()
    await until('the answer waits', async () => (await sql(waits)).rowCount === 2)
    await holder.query('commit')
    done(await ended)
  } finally {
    holder.release()
  }
  await isHungUp(call)
  assert.deepEqual(await placingOrg.typesUpTo(call, 'call.ended'), ['call.dialing', 'call.ended'])
})

test('a worker takes a dialled call while it rings, and it starts when the far end answers (ND-59)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  done(
    await deployment.operator.put(`/v1/ops/orgs/${placingOrg.org.slug}/quotas`, {
      ...noLimit,
      concurrent_calls: 1,
    }),
  )
  const call = await ringing(placingOrg)
  const taken = await placingOrg.fleet.post('/v1/worker/calls', { call, worker: 'w1' })
  assert.equal(taken.status, 201, taken.text)
  assert.deepEqual((await placingOrg.entries(call)).length, 1)
  refused(
    await placingOrg.fleet.post('/v1/worker/calls', { call, worker: 'w2' }),
    409,
    `a worker runs call ${call} already`,
  )
  ;(await heldDial(call)).answer()
  assert.deepEqual(await placingOrg.typesUpTo(call, 'call.started'), [
    'call.dialing',
    'call.answered',
    'call.started',
  ])
  await placements.poll()
  assert.ok(await settledAt(call))
  const wrote = await placingOrg.fleet.post(`/v1/calls/${call}/events`, {
    entries: [{ type: 'call.ended', data: { reason: 'max_duration' } }],
  })
  done(wrote)
  assert.equal(await placingOrg.reason(call), 'max_duration')
})

test('a worker cannot write that the call was answered (ND-107)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const call = await ringing(placingOrg)
  for (const type of ['call.answered', 'call.dialing', 'call.started'])
    refused(
      await placingOrg.fleet.post(`/v1/calls/${call}/events`, { entries: [{ type, data: {} }] }),
      400,
      `the gateway itself writes ${type}`,
    )
})

test('a gateway that stops hangs up what it rings (ND-59)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const other = await deployment.another()
  const to = await placingOrg.known()
  const { call } = done(await placingOrg.ask(to, {}, other.anonymous.as(placingOrg.key)))
  await heldDial(call)
  await other[Symbol.asyncDispose]()
  assert.equal(await placingOrg.reason(call), 'dial_failed')
  const error = (await placingOrg.entries(call)).find(({ type }) => type === 'error')
  assert.equal(error?.data['detail'], 'the gateway that placed the call stopped')
  await isHungUp(call)
})

test('an account that is gone by the time of placing fails the call (ND-108)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const { outboundProvisioning } = deployment.gateway.services
  const gone = mock.method(outboundProvisioning, 'trunkOf', async () => undefined)
  const call = await placingOrg.dial(await placingOrg.known())
  assert.equal(await placingOrg.reason(call), 'dial_failed')
  gone.mock.restore()
  const error = (await placingOrg.entries(call)).find(({ type }) => type === 'error')
  assert.deepEqual(error?.data, { code: 'dial_failed', detail: 'the account peer can no longer dial' })
})

test('on the embedded plane a worker is given the call, reports the outcome, and no call is dialled twice (ND-59)', async () => {
  await using own = await startDeployment()
  const placingOrg = await PlacingOrg.open(own)
  const to = await placingOrg.known()
  const worker = (name: string) =>
    placingOrg.fleet.in('production').post('/v1/worker/placements', { worker: name, wait_s: 0 })
  for (const [told, reason] of [
    [{ sip_status: 486 }, 'busy'],
    [{ outcome: 'no_answer' }, 'no_answer'],
  ] as const) {
    const call = await placingOrg.dial(to)
    const given = await until('it is offered', async () => (await worker('w1')).body.placement)
    assert.deepEqual(
      [given.call, given.to, given.from, given.trunk.hostname],
      [call, to, placingOrg.from, 'sip.peer.example'],
    )
    done(
      await placingOrg.fleet
        .in('production')
        .post(`/v1/worker/placements/${call}`, { worker: 'w1', ...told }),
    )
    assert.equal(await placingOrg.reason(call), reason)
  }
  const call = await placingOrg.dial(to)
  await until('it is offered', async () => (await worker('w1')).body.placement)
  done(await placingOrg.fleet.post('/v1/worker/calls', { call, worker: 'w1' }))
  done(
    await placingOrg.fleet
      .in('production')
      .post(`/v1/worker/placements/${call}`, { worker: 'w1', outcome: 'answered' }),
  )
  await placingOrg.typesUpTo(call, 'call.started')
})

test('an app that comes while it rings drives the call (ND-59)', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const call = await ringing(placingOrg)
  const late = await AppClient.connect(deployment.url, placingOrg.key)
  await late.register('desk')
  await placingOrg.app.close()
  ;(await heldDial(call)).answer()
  const { data } = await late.nextOf('call.started')
  assert.equal(data.call.id, call)
  await late.close()
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { PlacedCall, PlacingOutcome } from '@switchroom/media/plane'
import { type Client, refused } from '../../../testing/client.ts'
import { fleetKey, startDeployment } from '../../../testing/deployment.ts'
import { SpokenAgent } from '../../../testing/calls/spoken-calls.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'
import { statement } from '../../database/database.ts'
import { hourMs, secondMs } from '../../foundation/clock.ts'
import { PlacementOffers } from './placement-offers.ts'
import { WorkerNotifier } from './worker-notifier.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
const { sql, clock } = deployment
const { planes, placementOffers } = deployment.gateway.services
const org = await deployment.newOrg()
const spokenAgent = await new SpokenAgent(deployment, org, 'desk').route()
await spokenAgent.holdingApp()
const fleet = deployment.anonymous.as(fleetKey)
const fleetElsewhere = other.anonymous.as(fleetKey)

const never = new AbortController().signal
const trunk = {
  hostname: 'pstn.example',
  transport: 'tls',
  auth_username: 'svc-org',
  auth_password: 'a-password-of-the-carrier-0815',
} as const

/** A call of the org, taken for dialling. */
async function placed(more: Partial<PlacedCall> = {}): Promise<PlacedCall> {
  const call = await spokenAgent.open()
  await sql('update calls set beat_at = null where id = $1', [call]) // no worker runs it yet, so none can be lost
  return {
    call,
    org: org.id,
    env: 'sandbox',
    agent: 'desk',
    fleet: 'sandbox',
    to: '+15550100001',
    from: spokenAgent.number,
    trunk,
    account: 'peer',
    maxDurationS: 600,
    ...more,
  }
}

const placeFully = (call: PlacedCall, signal = never) => planes.of('sandbox').place(call, signal)
const place = async (call: PlacedCall, signal = never) => (await placeFully(call, signal)).outcome
const take = async (worker: string, client = fleet, wait_s = 10) =>
  done(await client.post('/v1/worker/placements', { worker, wait_s })).placement
const tell = (call: string, told: object, client: Client = fleet) =>
  client.post(`/v1/worker/placements/${call}`, told)

/** A placed call that this worker has taken. */
async function taken(worker: string): Promise<{ call: string; outcome: Promise<PlacingOutcome> }> {
  const call = await placed()
  const outcome = place(call)
  assert.equal((await take(worker))?.call, call.call)
  return { call: call.call, outcome }
}

test('with no media server the embedded plane serves both environments', () => {
  assert.equal(planes.areSeparate, false)
  assert.equal(planes.of('production'), planes.of('sandbox'))
})

test('a call is dialled by a worker that waits, on any gateway, and reported as answered', async () => {
  const waiting = take('worker-1', fleetElsewhere)
  const call = await placed()
  const outcome = place(call)
  assert.deepEqual(await waiting, {
    call: call.call,
    org: org.id,
    env: 'sandbox',
    agent: 'desk',
    to: '+15550100001',
    from: spokenAgent.number,
    trunk,
    account: 'peer',
    max_duration_s: 600,
  })
  const told = done(await tell(call.call, { worker: 'worker-1', outcome: 'answered' }, fleetElsewhere))
  assert.deepEqual(told, { call: call.call, outcome: 'answered' })
  assert.equal(await outcome, 'answered')
})

test("the far end's answer decides how the call ends (N-255, N-256, N-257, N-258)", async () => {
  for (const [sip_status, wanted] of [
    [486, 'busy'],
    [600, 'busy'],
    [603, 'busy'],
    [408, 'no_answer'],
    [480, 'no_answer'],
    [487, 'no_answer'],
    [404, 'dial_failed'],
    [503, 'dial_failed'],
  ] as const) {
    const { call, outcome } = await taken('worker-1')
    assert.equal(done(await tell(call, { worker: 'worker-1', sip_status })).outcome, wanted)
    assert.equal(await outcome, wanted)
  }
})

test('what the far end answered is reported on another gateway with its status, its reason and in words', async () => {
  for (const [told, result] of [
    [
      { sip_status: 603, sip_reason: 'Decline\r\nX: y' },
      { outcome: 'busy', sip_status: 603, sip_reason: 'Decline X: y', why: 'declined (603 Decline X: y)' },
    ],
    [
      { sip_status: 503, sip_reason: '', why: 'sip.peer.example takes no connections' },
      {
        outcome: 'dial_failed',
        sip_status: 503,
        sip_reason: null,
        why: 'sip.peer.example takes no connections',
      },
    ],
    [
      { outcome: 'no_answer', why: 'no answer within 60 s' },
      { outcome: 'no_answer', sip_status: null, sip_reason: null, why: 'no answer within 60 s' },
    ],
  ] as const) {
    const call = await placed()
    const placing = placeFully(call)
    assert.equal((await take('worker-1'))?.call, call.call)
    done(await tell(call.call, { worker: 'worker-1', ...told }, fleetElsewhere))
    assert.deepEqual(await placing, result)
  }
  const { call } = await taken('worker-1')
  const long = { worker: 'worker-1', sip_status: 486, sip_reason: 'x'.repeat(201) }
  assert.equal((await tell(call, long)).status, 400)
  done(await tell(call, { worker: 'worker-1', sip_status: 486 }))
})

test('a worker that took a call and reported before the gateway looked is still the one that dialled it', async () => {
  const call = await placed()
  await placementOffers.offer(call)
  assert.equal((await take('worker-1'))?.call, call.call)
  done(await tell(call.call, { worker: 'worker-1', sip_status: 404 }))
  const { signal } = new AbortController()
  assert.deepEqual(await placementOffers.waitTaken(call.call, 0, signal), { isTaken: true })
})

test('of workers that ask at the same time on two gateways one gets the call', async () => {
  for (let round = 0; round < 5; round += 1) {
    const call = await placed()
    await placementOffers.offer(call)
    const asked = Array.from({ length: 12 }, (_, i) => take(`worker-${i}`, i % 2 ? fleet : fleetElsewhere, 0))
    const got = (await Promise.all(asked)).filter((placement) => placement !== null)
    assert.deepEqual(
      got.map((placement) => placement.call),
      [call.call],
    )
  }
})

test('a call that another worker takes in this moment is passed over, not waited for', async () => {
  const call = await placed()
  await placementOffers.offer(call)
  await deployment.gateway.services.database.transaction(async (tx) => {
    await tx.rows(statement('select call from placement_offers where call = $1 for update'), call.call)
    const asked = [take('worker-1', fleet, 0), take('worker-2', fleetElsewhere, 0)]
    assert.deepEqual(await Promise.all(asked), [null, null])
  })
  assert.equal((await take('worker-1')).call, call.call)
})

test('several calls go to several workers', async () => {
  const calls = await Promise.all(Array.from({ length: 6 }, () => placed()))
  await Promise.all(calls.map((call) => placementOffers.offer(call)))
  const got = await Promise.all(calls.map((_, i) => take(`worker-${i}`, i % 2 ? fleet : fleetElsewhere)))
  assert.deepEqual(new Set(got.map(({ call }) => call)), new Set(calls.map(({ call }) => call)))
})

test('a call that no worker takes within 15 seconds fails with a sentence, and it is not dialled later (N-258)', async () => {
  const call = await placed()
  const refusal = assert.rejects(place(call), {
    name: 'MediaError',
    message: `no worker of the fleet ${call.fleet} took the call: start one, and dial again`,
  })
  await until('it is offered', async () => {
    const { rows } = await sql('select call from placement_offers where call = $1', [call.call])
    return rows.length > 0
  })
  clock.forward(15 * secondMs)
  await refusal
  assert.equal(await take('worker-1', fleet, 0), null)
})

test('a call that was offered by a gateway that died is not dialled after its time', async () => {
  await placementOffers.offer(await placed())
  clock.forward(15 * secondMs)
  assert.equal(await take('worker-1', fleet, 0), null)
})

test('the gateway waits a minute and a quarter for a worker that reports nothing', async () => {
  const askedAt = clock.now()
  const { call, outcome } = await taken('worker-1')
  let isOver = false
  void outcome.then(() => (isOver = true))
  await until('it is over', () => {
    clock.forward(secondMs / 4)
    return isOver
  })
  const waitedS = (clock.now().getTime() - askedAt.getTime()) / secondMs
  assert.ok(waitedS >= 75, `${waitedS} s`)
  assert.equal(await outcome, 'dial_failed')
  refused(
    await tell(call, { worker: 'worker-1', outcome: 'answered' }),
    409,
    `the call ${call} is over: dial_failed`,
  )
})

test('an abort is no_answer, whether a worker has the call or not, and the worker that dials it is refused', async () => {
  const hangUp = new AbortController()
  const untaken = await placed()
  const first = place(untaken, hangUp.signal)
  hangUp.abort()
  assert.equal(await first, 'no_answer')
  assert.equal(await take('worker-1', fleet, 0), null)
  const later = new AbortController()
  const call = await placed()
  const second = place(call, later.signal)
  await take('worker-1')
  later.abort()
  assert.equal(await second, 'no_answer')
  refused(
    await tell(call.call, { worker: 'worker-1', outcome: 'answered' }),
    409,
    `the call ${call.call} is over: no_answer`,
  )
  assert.equal(await place(await placed(), AbortSignal.abort()), 'no_answer')
})

test('hanging up takes a call back that waits for a worker', async () => {
  const call = await placed()
  const outcome = place(call)
  await until('it is offered', async () => {
    const { rows } = await sql('select call from placement_offers where call = $1', [call.call])
    return rows.length > 0
  })
  await planes.of('sandbox').hangUp(call.call)
  assert.equal(await outcome, 'no_answer')
  await planes.of('sandbox').hangUp('call_unknown')
})

test('the worker that runs a call transfers it itself', async () => {
  await assert.rejects(planes.of('sandbox').transfer('call_1', '+15550100009'), {
    name: 'MediaError',
    message: 'the worker that runs the call sends its caller on',
  })
})

test("a worker of an org's own dials that org's calls in its environment alone (ND-62)", async () => {
  const [own, production] = await Promise.all([org.serverToken('sandbox'), org.serverToken('production')])
  const stranger = await (await deployment.newOrg()).serverToken('sandbox')
  const call = await placed()
  const outcome = place(call)
  assert.equal(await take('theirs', stranger.client, 0), null)
  assert.equal(await take('ours', production.client, 0), null)
  assert.equal(await take('platform', fleet.in('production'), 0), null)
  assert.equal((await take('ours', own.client)).call, call.call)
  refused(
    await tell(call.call, { worker: 'ours', outcome: 'answered' }, stranger.client),
    404,
    `the call ${call.call} is not there to be dialled`,
  )
  done(await tell(call.call, { worker: 'ours', outcome: 'answered' }, own.client))
  assert.equal(await outcome, 'answered')
})

test('an outcome is reported once, by the worker that has the call', async () => {
  const { call, outcome } = await taken('worker-1')
  refused(
    await tell(call, { worker: 'worker-2', outcome: 'answered' }),
    409,
    `the call ${call} is not yours to dial`,
  )
  for (const both of [{}, { outcome: 'busy', sip_status: 486 }])
    refused(
      await tell(call, { worker: 'worker-1', ...both }),
      400,
      'tell the outcome or the SIP status, one of them',
    )
  done(await tell(call, { worker: 'worker-1', sip_status: 486 }))
  assert.equal(await outcome, 'busy')
  assert.equal(done(await tell(call, { worker: 'worker-1', outcome: 'busy' })).outcome, 'busy')
  refused(
    await tell(call, { worker: 'worker-1', outcome: 'answered' }),
    409,
    `the call ${call} is over: busy`,
  )
  refused(await tell('call_none', { worker: 'worker-1', outcome: 'busy' }), 404, 'there is no call call_none')
  const undialled = await spokenAgent.open()
  refused(
    await tell(undialled, { worker: 'worker-1', outcome: 'busy' }),
    404,
    `the call ${undialled} is not there to be dialled`,
  )
  clock.forward(hourMs)
  await placementOffers.deleteExpired()
  refused(
    await tell(call, { worker: 'worker-1', outcome: 'busy' }),
    404,
    `the call ${call} is not there to be dialled`,
  )
})

test('a worker that hung up while it waited takes no call with it', async () => {
  const gone = new AbortController()
  const waits = fleet.raw('/v1/worker/placements', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ worker: 'gone' }),
    signal: gone.signal,
  })
  gone.abort()
  await assert.rejects(waits, { name: 'AbortError' })
  const call = await placed()
  await placementOffers.offer(call)
  assert.equal((await take('worker-1')).call, call.call)
})

test('a worker that waits on a gateway that stops is answered', async () => {
  const third = await deployment.another()
  const waiting = third.anonymous.as(fleetKey)
  const { version } = done(await waiting.get('/v1/worker/fences?env=production'))
  let asked = 0
  third.gateway.server.server.on('request', () => (asked += 1))
  const placement = take('worker-1', waiting, 25)
  const fences = waiting.get(`/v1/worker/fences?env=production&after=${version}`)
  await until('both wait', () => asked === 2)
  await third[Symbol.asyncDispose]()
  assert.equal(await placement, null)
  assert.equal(done(await fences).version, version)
})

test('what a call is dialled through is kept sealed and never logged', async () => {
  const { call } = await taken('worker-1')
  done(await tell(call, { worker: 'worker-1', outcome: 'answered' }))
  const { rows } = await sql(`select encode(sealed, 'escape') as sealed from placement_offers`)
  assert.ok(rows.length > 0 && rows.every(({ sealed }) => !sealed.includes(trunk.auth_password)))
  for (const { log } of [deployment, other]) assert.ok(!log().includes(trunk.auth_password))
})

test('a call whose notice was lost is dialled by a worker that waits all the same', async () => {
  const waiting = take('worker-1', fleetElsewhere)
  const call = await placed()
  const { database, vault } = deployment.gateway.services
  const notifier = new WorkerNotifier({ database, clock, signals: { on() {}, send() {} } })
  await new PlacementOffers({ database, clock, vault, notifier }).offer(call)
  assert.equal((await waiting)?.call, call.call)
  done(await tell(call.call, { worker: 'worker-1', outcome: 'answered' }, fleetElsewhere))
})

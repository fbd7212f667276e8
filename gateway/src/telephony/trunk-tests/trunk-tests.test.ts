import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { TrunkTestStep, TrunkTestTask } from '@switchroom/contract/trunk-tests'
import { type Client, refused } from '../../../testing/client.ts'
import { fleetKey, startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { newNumber } from '../../../testing/calls/spoken-calls.ts'
import { PlacingOrg, startPlacing } from '../../../testing/telephony/placing-fixture.ts'
import { until } from '../../../testing/until.ts'
import { secondMs } from '../../foundation/clock.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
const { clock, sql } = deployment
const fleet = deployment.anonymous.as(fleetKey).in('production')
const fleetElsewhere = other.anonymous.as(fleetKey).in('production')

const stepOf = (step: string, more: object = {}) =>
  ({ step, state: 'ok', says: `${step} is well`, fix: null, took_ms: 3, ...more }) as TrunkTestStep
const reached = [stepOf('location'), stepOf('connection'), stepOf('options')]
const called = [stepOf('call'), stepOf('sound'), stepOf('hangup')]

/** The next test of this org that a worker gets. */
const take = (org: string, worker = 'w1', client: Client = fleetElsewhere): Promise<TrunkTestTask> =>
  until('a test is to be run', async () => {
    const { body } = await client.post('/v1/worker/placements', { worker, wait_s: 0, tests: true })
    if (body.test) assert.equal(body.test.org, org)
    return body.test
  })
const tell = (id: string, told: object, worker = 'w1', client: Client = fleetElsewhere) =>
  client.post(`/v1/worker/trunk-tests/${id}`, { worker, ...told })

const testOf = (placingOrg: PlacingOrg, body: object = {}, client = placingOrg.client) =>
  client.post('/v1/carrier/test?account=peer', body)
const statesOf = ({ steps }: { steps: TrunkTestStep[] }) => steps.map(({ step, state }) => `${step} ${state}`)

test('a worker at any gateway runs the test, which ends before a call unless one is asked for', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const testing = testOf(placingOrg)
  const task = await take(placingOrg.org.id)
  assert.deepEqual(
    [task.trunk.hostname, task.trunk.auth_username, task.call],
    ['sip.peer.example', 'peer', undefined],
  )
  done(await tell(task.id, { steps: reached }))
  const answer = done(await testing)
  assert.deepEqual(
    [answer.account, answer.host, answer.ok, answer.failed],
    ['peer', 'sip.peer.example', true, null],
  )
  assert.deepEqual(statesOf(answer), [
    'location ok',
    'connection ok',
    'options ok',
    'registration skipped',
    'call skipped',
  ])
  assert.equal(answer.steps.at(-1).says, 'nobody was called: the test ends here')
  assert.deepEqual(await placingOrg.ledger(), [])
  refused(await tell(task.id, { steps: [] }), 409, `the test ${task.id} is over, or another worker runs it`)
})

test('the step that failed is named, and nothing is tried after it', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const testing = testOf(placingOrg, { call: await placingOrg.known() })
  const { id } = await take(placingOrg.org.id)
  const failed = stepOf('options', {
    state: 'failed',
    says: 'the carrier answered 403 Forbidden',
    fix: 'ask it',
  })
  done(await tell(id, { steps: [stepOf('location'), failed] }))
  const answer = done(await testing)
  assert.deepEqual([answer.ok, answer.failed, answer.steps.at(-1)], [false, 'options', failed])
  assert.deepEqual(await placingOrg.ledger(), [])
})

test('two tests at the same time on two gateways each get their own answer, and each goes to one worker', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const there = other.anonymous.as(placingOrg.key)
  const testing = [testOf(placingOrg), testOf(placingOrg, {}, there)]
  const tasks = await Promise.all([
    take(placingOrg.org.id, 'w1', fleet),
    take(placingOrg.org.id, 'w2', fleetElsewhere),
  ])
  assert.notEqual(tasks[0].id, tasks[1].id)
  refused(await tell(tasks[0].id, { steps: [] }, 'w2'), 409, /is over, or another worker runs it$/)
  const says = (worker: string) => [stepOf('options', { says: `seen by ${worker}` })]
  done(await tell(tasks[1].id, { steps: says('w2') }, 'w2', fleet))
  done(await tell(tasks[0].id, { steps: says('w1') }, 'w1'))
  const seen = (await Promise.all(testing)).map((answer) => done(answer).steps[0].says)
  assert.deepEqual(new Set(seen), new Set(['seen by w1', 'seen by w2']))
})

test('a worker of an earlier version, and one of another org, get no test', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const stranger = await PlacingOrg.open(deployment)
  const testing = testOf(placingOrg)
  await until('it is offered', async () => {
    const { rows } = await sql('select from trunk_test_offers where org = $1', [placingOrg.org.id])
    return rows.length > 0
  })
  const asked = { worker: 'w1', wait_s: 0 }
  assert.equal((await fleet.post('/v1/worker/placements', asked)).body.test, undefined)
  const theirs = await stranger.client.post('/v1/worker/placements', { ...asked, tests: true })
  assert.equal(theirs.body.test, undefined)
  const { id } = await take(placingOrg.org.id, 'own', placingOrg.client) // a worker of the org itself
  refused(await tell(id, { steps: [] }, 'own', stranger.client), 409, /another worker runs it$/)
  done(await tell(id, { steps: reached }, 'own', placingOrg.client))
  assert.equal(done(await testing).ok, true)
})

test('the call of a test is one dial of the ledger, from the number of the account, and has its result', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const to = await placingOrg.known()
  const testing = testOf(placingOrg, { call: to })
  done(await tell((await take(placingOrg.org.id)).id, { steps: reached }))
  const { id, call } = await take(placingOrg.org.id)
  assert.deepEqual(call, { to, from: placingOrg.from })
  done(await tell(id, { steps: called, dial: { outcome: 'answered' } }))
  const answer = done(await testing)
  assert.deepEqual(statesOf(answer).slice(-4), ['guards ok', 'call ok', 'sound ok', 'hangup ok'])
  const rows = (await placingOrg.ledger()) as { to: string; result?: { outcome: string; account: string } }[]
  assert.deepEqual(
    rows.map((row) => [row.to, row.result?.outcome, row.result?.account]),
    [[to, 'answered', 'peer']],
  )
})

test('the guards of a dial hold: who may not be called is not, and the step says why', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const testing = testOf(placingOrg, { call: '+34612999999' })
  done(await tell((await take(placingOrg.org.id)).id, { steps: reached }))
  const answer = done(await testing)
  assert.equal(answer.failed, 'guards')
  assert.match(answer.steps.at(-1).says, /^\+34612999999 never called or wrote to this org in production/)
  const [row] = await placingOrg.ledger()
  assert.deepEqual([row?.outcome, row?.reason], ['refused', 'stranger'])
})

test('a number of the org itself may be called without its consent, and rings with an echo while the test runs', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const { from } = placingOrg
  const own = newNumber()
  await placingOrg.number(own, 'peer')
  const testing = testOf(placingOrg, { call: own, from })
  done(await tell((await take(placingOrg.org.id)).id, { steps: reached }))
  const rings = async (caller: string, more: object = { dry_run: true }) =>
    done(await fleet.post('/v1/worker/calls', { number: own, from: caller, ...more }))
  const { id } = await take(placingOrg.org.id)
  assert.equal((await rings(from)).echo, true)
  assert.equal((await rings('+15559990001')).echo, undefined)
  done(await tell(id, { steps: called, dial: { outcome: 'answered' } }))
  assert.equal(done(await testing).ok, true)
  assert.equal((await rings(from)).echo, undefined)
})

test('what cannot be tested is refused with a sentence before anything is sent', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const { client } = placingOrg
  refused(await client.post('/v1/carrier/test?account=x', {}), 404, 'this org holds no carrier account x')
  const mute = { kind: 'sip', username: 'mute', password: 'p', addresses: ['8.8.8.8'] }
  done(await client.put('/v1/carrier', mute))
  refused(
    await client.post('/v1/carrier/test?account=mute', {}),
    409,
    'mute cannot be dialled yet: see GET /v1/carrier/outbound',
  )
  await placingOrg.account('empty', 'sip.empty.example')
  const to = await placingOrg.known()
  refused(
    await client.post('/v1/carrier/test?account=empty', { call: to }),
    409,
    'empty has no number in production to call from: import one with POST /v1/numbers',
  )
  refused(
    await testOf(placingOrg, { call: to, from: '+34910999999' }),
    404,
    '+34910999999 is no phone number of peer in production',
  )
  const quiet = await placingOrg.org.serverToken('production', { scopes: ['numbers'] })
  refused(
    await testOf(placingOrg, { call: to }, quiet.client),
    403,
    'this key does not open talk: a test that calls is a dial, leave out call',
  )
  assert.equal(
    (await sql('select from trunk_test_offers where org = $1', [placingOrg.org.id])).rows.length,
    0,
  )
})

test('an environment whose calls a media server carries tests no trunk', async () => {
  const { media, deployment: served } = await startPlacing()
  try {
    const placingOrg = await PlacingOrg.open(served)
    refused(
      await testOf(placingOrg),
      409,
      'calls of production go out through a LiveKit server, which tests no trunks: test it in an environment whose workers dial themselves',
    )
  } finally {
    await served[Symbol.asyncDispose]()
    await media.stop()
  }
})

// Last, because only one of the two gateways has the clock that it puts forward.
test('without a worker the refusal says so, and a worker that says nothing is named', async () => {
  const placingOrg = await PlacingOrg.open(deployment)
  const offers = async () =>
    (await sql('select from trunk_test_offers where org = $1', [placingOrg.org.id])).rows.length
  const untaken = testOf(placingOrg)
  await until('it is offered', async () => (await offers()) > 0)
  clock.forward(11 * secondMs)
  refused(
    await untaken,
    503,
    'no worker with a phone line is connected in production, or all are busy: start one, and test again',
  )
  const { body } = await fleet.post('/v1/worker/placements', { worker: 'w1', wait_s: 0, tests: true })
  assert.equal(body.test, undefined)
  const untold = testOf(placingOrg)
  const { id } = await take(placingOrg.org.id)
  let isOver = false
  void untold.then(() => (isOver = true))
  await until('it is over', () => {
    clock.forward(secondMs)
    return isOver
  })
  const answer = done(await untold)
  assert.deepEqual(
    [answer.failed, answer.steps[0].says],
    ['options', 'the worker that ran the test did not report what it found'],
  )
  assert.equal((await tell(id, { steps: reached })).status, 409)
})

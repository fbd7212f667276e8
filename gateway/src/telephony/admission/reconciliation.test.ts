import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Environment } from '@switchroom/contract/scopes'
import { newLine, NumberFixture, type NumberOrg } from '../../../testing/telephony/number-fixture.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'
import { lentLockSessions } from '../../database/lent-lock-sessions.ts'
import { later, secondMs } from '../../foundation/clock.ts'
import { longestLockWaitMs, NumberLocks } from './number-locks.ts'
import { Reconciliation } from './reconciliation.ts'

const fixture = await NumberFixture.start({ separate: true, settings: { SVC_MEDIA_ADDRESS: '8.8.4.4' } })
after(() => fixture[Symbol.asyncDispose]())
const { carrier, media, deployment } = fixture
const { services } = deployment.gateway
const both = ['sandbox', 'production'] as const
await services.tasks.stop(services.reconciliationTask) // so that only what a test begins is counted

/** As another gateway has them. */
const newLocks = () => new NumberLocks(lentLockSessions(services.database, longestLockWaitMs))

/** The same work on a clock that the test moves. */
function onStillClock() {
  const clock = { at: deployment.clock.now(), now: () => clock.at }
  const reconciliation = new Reconciliation({
    database: services.database,
    clock,
    logger: services.logger,
    locks: newLocks(),
    planes: services.planes,
    admission: services.admission,
    batches: services.batchAdmission,
    approvals: services.hookedApprovals,
    settings: deployment.settings.telephony,
  })
  reconciliation.begin()
  return {
    now: clock.now,
    poll: () => reconciliation.poll(new AbortController().signal),
    forward: (ms: number) => (clock.at = later(clock.at, ms)),
  }
}

const trunksOf = (env: Environment, number: string) =>
  media[env].store.trunks.filter(({ numbers }) => numbers.includes(number)).map(({ name }) => name)
const isListed = (env: Environment, number: string) => trunksOf(env, number).length === 1
const asked = () => media.sandbox.requests.length + media.production.requests.length

async function newHookedOrg(): Promise<[NumberOrg, string, string]> {
  const org = await fixture.newOrg()
  const [sandbox, production] = [newLine(), newLine()]
  await org.imported({ number: sandbox, hooked: true })
  await org.imported({ number: production, hooked: true }, 'production')
  return [org, sandbox, production]
}

test('a start admits every routed phone number again with its fence and rule, and asks no carrier (N-382, N-383, N-389, N-390, T-50, T-86, ND-101)', async () => {
  const [org, sandbox, production] = await newHookedOrg()
  const number = newLine()
  await org.peer('pbx', '8.8.8.8')
  await org.approveNetworks()
  await org.imported({ number, account: 'pbx' })
  done(await org.admin.delete('/v1/carrier?account=pbx'))
  const before = both.map((env) => media[env].store.whole)
  for (const env of both) media[env].store.empty()
  const requests = carrier.requests.length
  carrier.fault = () => 'breaks'
  const restarted = await deployment.another()
  await until('all are listed', () => isListed('sandbox', sandbox) && isListed('production', production))
  await until('the peer’s too', () => isListed('sandbox', number))
  await until('the hand-over is there', () => media.sandbox.store.rule('hand-over') !== undefined)
  assert.deepEqual(org.trunk('sandbox', 'sip/pbx')?.allowedAddresses, ['8.8.8.8'])
  assert.equal(org.rule('sandbox')?.roomConfig?.agents[0]?.agentName, 'sandbox')
  assert.equal(org.rule('production')?.roomConfig?.agents[0]?.agentName, 'production')
  assert.deepEqual(
    both.map((env) => media[env].store.whole.trunks.length),
    before.map(({ trunks }) => trunks.length),
  )
  assert.equal(carrier.requests.length, requests)
  carrier.fault = () => undefined
  await restarted[Symbol.asyncDispose]()
})

test('a start takes numbers off the other environment’s own media server, and leaves what is not ours (N-384, T-87, ND-101)', async () => {
  const [org, sandbox, production] = await newHookedOrg()
  const stray = { allowedAddresses: ['9.9.9.9'] }
  media.production.store.seedTrunk({ ...stray, name: `${org.id}/sandbox/apicarrier`, numbers: [sandbox] })
  media.sandbox.store.seedTrunk({
    ...stray,
    name: `${org.id}/production/own/${production}`,
    numbers: [production],
  })
  media.sandbox.store.seedTrunk({ ...stray, name: `${org.id}/sandbox/sip/gone`, numbers: [newLine()] })
  const foreign = media.sandbox.store.seedTrunk({ ...stray, name: 'the neighbours', numbers: [newLine()] })
  media.sandbox.store.seedRule({ name: 'theirs', trunkIds: [foreign.sipTrunkId] })
  await onStillClock().poll()
  assert.deepEqual([trunksOf('sandbox', production), trunksOf('production', sandbox)], [[], []])
  assert.equal(media.sandbox.store.trunk(`${org.id}/sandbox/sip/gone`), undefined)
  assert.ok(isListed('sandbox', sandbox) && isListed('production', production))
  assert.ok(media.sandbox.store.trunk('the neighbours') && media.sandbox.store.rule('theirs'))
})

test('with one media server for both environments nothing is taken off the other (T-88, ND-101)', async () => {
  await using shared = await NumberFixture.start()
  const org = await shared.newOrg()
  const [sandbox, production] = [newLine(), newLine()]
  await org.imported({ number: sandbox, hooked: true })
  await org.imported({ number: production, hooked: true }, 'production')
  shared.media.sandbox.store.empty()
  await shared.deployment.another()
  await until('both exist', () => org.rule('sandbox') !== undefined && org.rule('production') !== undefined)
  assert.deepEqual(org.trunk('sandbox', 'apicarrier')?.numbers, [sandbox])
  assert.deepEqual(org.trunk('production', 'apicarrier')?.numbers, [production])
  assert.equal(shared.media.sandbox.store.trunk('hand-over'), undefined)
})

test('while an org is refused the others are admitted, and the whole set is tried again after 2, 4, 8, 16, 32, 60 and 60 seconds (N-385, N-386, N-387, N-388, N-532, T-85)', async () => {
  const [org, refusedNumber] = await newHookedOrg()
  const [, other] = await newHookedOrg()
  for (const env of both) media[env].store.empty()
  const foreign = media.sandbox.store.seedTrunk({
    name: 'in the way',
    numbers: [refusedNumber],
    allowedAddresses: ['9.9.9.9'],
  })
  const { poll, forward } = onStillClock()
  const runs = async () => {
    const before = asked()
    await poll()
    return asked() > before
  }
  assert.equal(await runs(), true)
  assert.ok(isListed('sandbox', other))
  assert.match(deployment.log(), /the numbers of an org are not admitted yet/)
  assert.deepEqual(trunksOf('sandbox', refusedNumber), ['in the way'])
  assert.equal((await org.path(refusedNumber)).steps[2].state, 'waiting')

  for (const seconds of [2, 4, 8, 16, 32, 60, 60]) {
    media.sandbox.store.trunks = media.sandbox.store.trunks.filter(({ numbers }) => !numbers.includes(other))
    forward(seconds * secondMs - 1)
    assert.equal(await runs(), false, `before ${seconds} s`)
    forward(1)
    assert.equal(await runs(), true, `after ${seconds} s`)
    assert.ok(isListed('sandbox', other)) // the whole set, not only what failed
  }
  media.sandbox.store.trunks = media.sandbox.store.trunks.filter((trunk) => trunk !== foreign)
  forward(60 * secondMs)
  assert.equal(await runs(), true)
  assert.deepEqual(trunksOf('sandbox', refusedNumber), [`${org.id}/sandbox/apicarrier`])
  assert.equal((await org.path(refusedNumber)).steps[2].state, 'ok')
  forward(3600 * secondMs)
  assert.equal(await runs(), false)
})

test('a media server that cannot be reached holds up neither the other one nor the API (N-386, T-85, ND-101)', async () => {
  const [org, sandbox, production] = await newHookedOrg()
  for (const env of both) media[env].store.empty()
  media.sandbox.dieAfter(0, false)
  const second = await deployment.another()
  assert.equal((await second.anonymous.get('/healthz')).status, 200)
  await until('production is admitted', () => isListed('production', production))
  await until('it is logged', () => second.log().includes('the media plane cannot be reached'))
  assert.equal((await org.path(sandbox)).steps[2].state, 'waiting')
  media.sandbox.revive()
  const more = newLine()
  await org.imported({ number: more, hooked: true }) // what changes meanwhile is written at once
  assert.ok(isListed('sandbox', more))
  second.clock.forward(2 * secondMs)
  await until('the sandbox is admitted', () => isListed('sandbox', sandbox))
  await second[Symbol.asyncDispose]()
})

test('of several gateways one reconciles at a time (ND-101)', async () => {
  await newHookedOrg()
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  let holds = false
  const elsewhere = newLocks()
  const held = elsewhere.withLockIfFree('reconciliation of numbers', async () => {
    holds = true
    await gate
  })
  await until('a gateway reconciles', () => holds)
  const { poll, forward } = onStillClock()
  const before = asked()
  await poll()
  assert.equal(asked(), before)
  open()
  assert.equal(await held, true)
  forward(2 * secondMs)
  await poll()
  assert.ok(asked() > before)
})

test('the sandbox’s own media server takes what production hands over, from its address alone, and keeps that (N-391, N-392, N-393, N-394, T-89, ND-102)', async () => {
  const { store } = media.sandbox
  await onStillClock().poll()
  const trunk = store.trunk('hand-over')
  const shows = () => {
    const rule = store.rule('hand-over')
    const fleet = rule?.roomConfig?.agents[0]?.agentName
    return [store.trunk('hand-over')?.numbers, trunk?.allowedAddresses, rule?.trunkIds, rule?.numbers, fleet]
  }
  const wanted = [[], ['8.8.4.4'], [trunk?.sipTrunkId], [], 'sandbox']
  assert.deepEqual(shows(), wanted)
  assert.equal(media.production.store.trunk('hand-over'), undefined)
  const [org, sandbox] = await newHookedOrg()
  done(await org.admin.delete(`/v1/numbers/${sandbox}`))
  assert.equal(org.rule('sandbox'), undefined)
  await onStillClock().poll()
  assert.deepEqual(shows(), wanted)
  assert.equal(store.trunks.filter(({ name }) => name === 'hand-over').length, 1)
})

test('without the address of production nothing is handed over, and the log says why (ND-102)', async () => {
  await using plain = await NumberFixture.start({ separate: true })
  await until('it is said', () => plain.deployment.log().includes('set SVC_MEDIA_ADDRESS'))
  assert.equal(plain.media.sandbox.store.trunk('hand-over'), undefined)
})

test('what a gateway left undone when it died is done by another that had nothing to do (ND-37, ND-101)', async () => {
  const [org, sandbox] = await newHookedOrg()
  const { poll, forward, now } = onStillClock()
  await poll()
  for (const env of both) media[env].store.empty()
  await deployment.sql('insert into admissions_due (org, since) values ($1, $2)', [org.id, now()])
  await poll()
  assert.equal(isListed('sandbox', sandbox), false)
  forward(2 * secondMs)
  await poll()
  assert.equal(isListed('sandbox', sandbox), true)
  const { rows } = await deployment.sql('select from admissions_due where org = $1', [org.id])
  assert.equal(rows.length, 0)
})

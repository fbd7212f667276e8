import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { LiveKitFake } from '../../testing/livekit-fake.ts'
import { LiveKitPlane } from './livekit-plane.ts'
import type { Admission } from '../plane.ts'

const wanted = (numbers: string[]): Admission => ({
  org: 'org_a',
  env: 'sandbox',
  fleet: 'sandbox',
  fences:
    numbers.length === 0
      ? []
      : [{ name: 'org_a/sandbox/apicarrier', networks: ['198.51.100.0/24'], numbers }],
})

let fake: LiveKitFake
let plane: LiveKitPlane
beforeEach(async () => {
  fake = await LiveKitFake.start()
  plane = new LiveKitPlane(fake.address)
})
afterEach(() => fake.stop())

test('a trunk and a rule are written with what the media server needs to know', async () => {
  await plane.admit(wanted(['+15550000001']))
  assert.deepEqual(fake.asked('CreateSIPInboundTrunk')[0]?.body, {
    trunk: {
      name: 'org_a/sandbox/apicarrier',
      numbers: ['+15550000001'],
      allowedAddresses: ['198.51.100.0/24'],
      ringingTimeout: '60s',
    },
  })
  assert.deepEqual(fake.asked('CreateSIPDispatchRule')[0]?.body, {
    dispatchRule: {
      name: 'org_a/sandbox',
      rule: { dispatchRuleIndividual: { roomPrefix: 'call-' } },
      trunkIds: [fake.store.trunk('org_a/sandbox/apicarrier')?.sipTrunkId],
      numbers: ['+15550000001'],
      roomConfig: { agents: [{ agentName: 'sandbox' }] },
    },
  })
})

test('fields that an operator set on our trunk stay when it changes', async () => {
  await plane.admit(wanted(['+15550000001']))
  const trunk = fake.store.trunk('org_a/sandbox/apicarrier')
  assert.ok(trunk)
  trunk.krispEnabled = true
  await plane.admit(wanted(['+15550000001', '+15550000002']))
  const changed = fake.store.trunk('org_a/sandbox/apicarrier')
  assert.deepEqual([changed?.sipTrunkId, changed?.krispEnabled], [trunk.sipTrunkId, true])
})

test('an older server that keeps no numbers on a rule is not written to for ever', async () => {
  fake.store.keepsRuleNumbers = false
  await plane.admit(wanted(['+15550000001']))
  assert.equal((await plane.admit(wanted(['+15550000001']))).rule, 'stands')
})

test('a rule made wrong by hand is put right', async () => {
  await plane.admit(wanted(['+15550000001']))
  for (const spoil of [
    (rule: NonNullable<ReturnType<typeof fake.store.rule>>) => (rule.inboundNumbers = ['+15557777777']),
    (rule: NonNullable<ReturnType<typeof fake.store.rule>>) => (rule.trunkIds = ['ST_gone']),
    (rule: NonNullable<ReturnType<typeof fake.store.rule>>) => delete rule.roomConfig,
    (rule: NonNullable<ReturnType<typeof fake.store.rule>>) => delete rule.rule,
    (rule: NonNullable<ReturnType<typeof fake.store.rule>>) => (rule.numbers = ['+15557777777']),
  ]) {
    const rule = fake.store.rule('org_a/sandbox')
    assert.ok(rule)
    spoil(rule)
    assert.equal((await plane.admit(wanted(['+15550000001']))).rule, 'done')
    assert.equal((await plane.admit(wanted(['+15550000001']))).rule, 'stands')
  }
})

test('of two trunks or rules of one name one stays', async () => {
  await plane.admit(wanted(['+15550000001', '+15550000002']))
  fake.store.seedTrunk({ name: 'org_a/sandbox/apicarrier', numbers: ['+15550000003'] })
  fake.store.seedRule({ name: 'org_a/sandbox', trunkIds: ['ST_gone'] })
  const three = wanted(['+15550000001', '+15550000002', '+15550000003'])
  const verdicts = await plane.admit(three)
  assert.deepEqual([...verdicts.fences.values(), verdicts.rule], ['done', 'done'])
  assert.deepEqual([fake.store.trunks.length, fake.store.rules.length], [1, 1])
  assert.deepEqual(await plane.list(), three.fences)
})

test('a rule whose trunks are all gone goes with the last number', async () => {
  await plane.admit(wanted(['+15550000001']))
  fake.store.trunks = []
  assert.equal((await plane.admit(wanted([]))).rule, 'done')
  assert.equal(fake.store.rules.length, 0)
})

test('hand-over is one trunk and one rule for every number from one address (N-391, N-392, N-393, N-394)', async () => {
  const { store } = fake
  assert.equal(await plane.handOver({ address: '203.0.113.7', fleet: 'sandbox' }), 'done')
  assert.deepEqual(
    store.trunks.map(({ name, numbers, allowedAddresses }) => ({ name, numbers, allowedAddresses })),
    [{ name: 'hand-over', numbers: [], allowedAddresses: ['203.0.113.7'] }],
  )
  const [rule] = store.rules
  assert.deepEqual(
    [rule?.name, rule?.trunkIds, rule?.numbers, rule?.roomConfig?.agents[0]?.agentName],
    ['hand-over', [store.trunks[0]?.sipTrunkId], [], 'sandbox'],
  )
  const writes = fake.writes.length
  assert.equal(await plane.handOver({ address: '203.0.113.7', fleet: 'sandbox' }), 'stands')
  assert.equal(fake.writes.length, writes)
  assert.equal(await plane.handOver({ address: '203.0.113.8', fleet: 'another' }), 'done')
  assert.deepEqual(store.trunk('hand-over')?.allowedAddresses, ['203.0.113.8'])
  assert.equal(store.rule('hand-over')?.roomConfig?.agents[0]?.agentName, 'another')
})

test('hand-over stays when the last number goes, and is no fence of anybody (T-89)', async () => {
  await plane.handOver({ address: '203.0.113.7', fleet: 'sandbox' })
  const [trunk, rule] = [fake.store.trunk('hand-over'), fake.store.rule('hand-over')]
  await plane.admit(wanted(['+15550000001']))
  await plane.withdraw('org_a', '+15550000001')
  await plane.admit(wanted([]))
  assert.deepEqual([fake.store.trunks, fake.store.rules], [[trunk], [rule]])
  assert.deepEqual(await plane.list(), [])
})

test("a refusal is the media server's own sentence", async () => {
  fake.store.seedTrunk({ name: 'the office', numbers: ['+15550000001'] })
  await assert.rejects(plane.admit(wanted(['+15550000001'])), {
    name: 'MediaError',
    message:
      'Conflicting inbound SIP Trunks: "<new>" and "ST_0001", using the same number(s) ["+15550000001"] without AllowedNumbers set',
  })
  fake.refuse('CreateSIPDispatchRule', 'internal', 'redis: connection pool timeout')
  await assert.rejects(plane.admit(wanted(['+15550000002'])), { message: 'redis: connection pool timeout' })
})

test('a key that the media server does not know is said without the token it was asked with', async () => {
  const stranger = new LiveKitPlane({ ...fake.address, secret: 'another secret that is long enough too' })
  const message = 'the media server refused the key and secret it is asked with'
  await assert.rejects(stranger.list(), { name: 'MediaError', message })
  await assert.rejects(stranger.admit(wanted(['+15550000001'])), { name: 'MediaError', message })
})

test('a media server that is not there, or answers something else, is said so', async () => {
  fake.refuse('ListSIPInboundTrunk', 'unavailable', '')
  await assert.rejects(plane.list(), { message: 'the media server answered 503' })
  const gone = await LiveKitFake.start()
  await gone.stop()
  await assert.rejects(new LiveKitPlane(gone.address).list(), {
    message: 'the media server could not be reached: ECONNREFUSED',
  })
})

test('a media server that does not answer is waited for ten seconds', { timeout: 20_000 }, async () => {
  fake.hang('ListSIPDispatchRule')
  fake.hang('CreateSIPDispatchRule')
  await assert.rejects(plane.admit(wanted(['+15550000001'])), {
    name: 'MediaError',
    message: 'the media server did not answer within 10 seconds',
  })
})

test('every request is signed for what it does and nothing more', async () => {
  await plane.admit(wanted(['+15550000001']))
  for (const { claims } of fake.requests)
    assert.deepEqual([claims['sip'], claims['video']], [{ admin: true }, {}])
})

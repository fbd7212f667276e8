import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atFence, type NetworkState } from '../admission/number-fences.ts'
import { pathSteps, ringsOf, type NumberStatus } from './path.ts'

const states: Record<string, NetworkState> = {
  '8.8.8.8': 'approved',
  '7.7.7.7': 'waiting',
  '9.9.9.9': 'refused',
}
const stateOf = (network: string) => states[network] ?? 'waiting'
const address = 'sip:+15550000001@sip.example:5060'

const imported: NumberStatus = {
  number: '+15550000001',
  agent: 'desk',
  env: 'sandbox',
  channel: 'phone',
  origin: 'imported',
  via: null,
  account: 'AC1',
  account_kind: 'apicarrier',
  networks: [],
  awaits_approval: false,
  last_call_at: null,
  is_admitted: true,
  is_held: true,
}
const hooked: NumberStatus = {
  ...imported,
  origin: 'hooked',
  via: 'apicarrier',
  account: null,
  account_kind: null,
}
const peer: NumberStatus = { ...imported, account: 'peer', account_kind: 'sip', networks: ['8.8.8.8'] }

function stepsOf(standing: NumberStatus) {
  const networksOf = (kind: string) => (kind === 'apicarrier' ? ['54.172.60.0/30'] : undefined)
  const fence = atFence({ org: 'org_1', env: 'sandbox' }, standing, {
    networksOf,
    stateOf,
    peerOf: () => ({}),
  })
  return pathSteps(standing, fence, stateOf, address)
}
const statesOf = (standing: NumberStatus) => stepsOf(standing).map(({ step, state }) => `${step} ${state}`)
const step = (standing: NumberStatus, name: string) => stepsOf(standing).find((one) => one.step === name)

test('a number of the API carrier whose agent is held rings at once (N-039, N-068, ND-36)', () => {
  for (const standing of [
    imported,
    { ...imported, origin: 'bought', account: null, account_kind: null } as const,
  ]) {
    assert.deepEqual(statesOf(standing), ['carrier ok', 'fence ok', 'rule ok', 'agent ok'])
    assert.equal(ringsOf(stepsOf(standing)), 'ok')
    assert.deepEqual(
      stepsOf(standing).map(({ fix }) => fix),
      [null, null, null, null],
    )
  }
})

test('numbers that others point here wait at the carrier for their first call (N-065, ND-36)', () => {
  const typed: NumberStatus = { ...hooked, origin: 'typed' }
  for (const standing of [hooked, peer, typed]) {
    assert.deepEqual(step(standing, 'carrier'), {
      step: 'carrier',
      state: 'waiting',
      says: 'no call of it has come here yet',
      fix: `point it at ${address} where it comes from, and call it`,
    })
    assert.equal(ringsOf(stepsOf(standing)), 'waiting')
    assert.equal(ringsOf(stepsOf({ ...standing, last_call_at: 1 })), 'ok')
  }
})

test('the fence waits while no network is approved, and says which one is what (N-066, ND-36)', () => {
  const standing = { ...peer, networks: ['7.7.7.7', '9.9.9.9'], last_call_at: 1 }
  assert.deepEqual(step(standing, 'fence'), {
    step: 'fence',
    state: 'waiting',
    says: 'no network it comes from is approved: 7.7.7.7 is waiting · 9.9.9.9 is refused',
    fix: 'ask the operator to approve a network, or send others',
  })
  assert.deepEqual(statesOf(standing), ['carrier ok', 'fence waiting', 'rule waiting', 'agent ok'])
  assert.deepEqual(statesOf({ ...standing, networks: ['7.7.7.7', '8.8.8.8'] })[1], 'fence ok')
})

test('the fence waits for the approval of a hooked number (N-072, ND-36)', () => {
  const standing = { ...hooked, awaits_approval: true, last_call_at: 1 }
  assert.equal(step(standing, 'fence')?.says, 'it waits for the operator to approve it')
  assert.deepEqual(statesOf(standing), ['carrier ok', 'fence waiting', 'rule waiting', 'agent ok'])
})

test('a carrier that left the catalogue lets no call in', () => {
  assert.equal(step({ ...hooked, via: 'gone' }, 'fence')?.says, 'the catalogue has no networks of gone')
})

test('the rule waits while the media plane has still to admit it (ND-36)', () => {
  assert.deepEqual(step({ ...imported, is_admitted: false }, 'rule'), {
    step: 'rule',
    state: 'waiting',
    says: 'the media server has not taken it yet',
    fix: 'wait: the gateway retries until it does',
  })
})

test('without an app the agent is broken, which is worse than waiting (N-069, N-155, ND-36)', () => {
  const standing = { ...hooked, awaits_approval: true, is_held: false }
  assert.deepEqual(statesOf(standing), ['carrier waiting', 'fence waiting', 'rule waiting', 'agent broken'])
  assert.deepEqual(step(standing, 'agent'), {
    step: 'agent',
    state: 'broken',
    says: 'no app holds desk in sandbox',
    fix: 'connect an app that declares desk in sandbox',
  })
  assert.equal(ringsOf(stepsOf(standing)), 'broken')
})

test('a messaging number has no fence and no rule to wait for (ND-36)', () => {
  const standing = { ...imported, channel: 'msgapp', account_kind: 'msgapp', is_admitted: false } as const
  assert.deepEqual(statesOf(standing), ['carrier ok', 'fence ok', 'rule ok', 'agent ok'])
})

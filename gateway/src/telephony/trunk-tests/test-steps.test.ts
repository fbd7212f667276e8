import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CarrierAccount } from '@switchroom/contract/carriers'
import { registrationStep, testedBy, untoldStep } from './test-steps.ts'

const accountWith = (registration: object | null) =>
  ({
    kind: 'sip',
    account: 'acme',
    label: 'acme',
    networks: [],
    sip: { registration },
  }) as unknown as CarrierAccount

test('the registration step says what the registrar says, and is skipped for an account that does not register', () => {
  const read = (registration: object | null) => {
    const { state, says, fix } = registrationStep(accountWith(registration))
    return [state, says, fix]
  }
  assert.deepEqual(read(null), ['skipped', 'the account does not register', null])
  const until = 1_800_000_000
  assert.deepEqual(read({ state: 'registered', until, says: null }), ['ok', 'the user is registered', null])
  const refused = 'the registrar answered 403 Forbidden: check the username and the password'
  assert.deepEqual(read({ state: 'refused', until: null, says: refused }), [
    'failed',
    `it is not registered: ${refused}`,
    'check username, password and outbound_host of the account, and whether the carrier locked the user',
  ])
  const waiting = 'import a number of the account: it registers with the first one'
  assert.deepEqual(read({ state: 'waiting', until: null, says: waiting }), [
    'failed',
    `it is not registered yet: ${waiting}`,
    waiting,
  ])
})

test('the first step that failed is the one that is named', () => {
  const late = { ...untoldStep('call'), step: 'hangup' as const }
  const { failed, ok, steps } = testedBy('acme', 'sip.acme.example', [untoldStep('call'), late])
  assert.deepEqual([failed, ok, steps.map(({ step }) => step)], ['call', false, ['call', 'hangup']])
})

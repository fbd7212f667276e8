import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calledIn, extensionIn, resultName } from './number-labels.ts'

test('the dial log names the result of a dial in words', () => {
  const unnamed = { account: null, failed_accounts: [] }
  const silent = { sip_status: null, sip_reason: null, ...unnamed }
  assert.equal(resultName({ outcome: 'answered', ...silent, why: null }), 'Answered')
  assert.equal(resultName({ outcome: 'no_answer', ...silent, why: null }), 'No answer')
  const declined = {
    outcome: 'busy',
    sip_status: 603,
    sip_reason: 'Decline',
    why: 'declined (603 Decline)',
    ...unnamed,
  } as const
  assert.equal(resultName(declined), 'declined (603 Decline)')
  const failed_accounts = [{ account: 'acme', sip_status: null, why: 'sip.acme.example does not answer' }]
  assert.equal(
    resultName({ outcome: 'answered', ...silent, why: null, account: 'backup', failed_accounts }),
    'Answered via backup (before it, acme: sip.acme.example does not answer)',
  )
})

test('what is typed as a number is a number, an extension or a name at an account', () => {
  assert.deepEqual(calledIn('+1 (555) 010-0100'), { to: '+15550100100' })
  assert.deepEqual(calledIn('105'), { extension: '105' })
  assert.deepEqual(calledIn(' 105@my-pbx '), { extension: '105', account: 'my-pbx' })
  assert.deepEqual(calledIn('front-desk@pbx'), { extension: 'front-desk', account: 'pbx' })
  assert.deepEqual(calledIn('2125550123'), { to: '2125550123' })
  assert.equal(extensionIn('front-desk@pbx'), null)
})

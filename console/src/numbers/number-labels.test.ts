import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resultName } from './number-labels.ts'

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

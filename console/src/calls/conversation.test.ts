import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '@switchroom/contract/log'
import { conversationOf, endOf } from './conversation.ts'

const ended = (data: Record<string, unknown>): Entry[] => [
  { seq: 1, ts: 1, call: 'call_1', agent: 'desk', type: 'call.ended', ephemeral: false, data },
]

test('a call that was not answered says why in words, in the transcript and in the details; any other its reason', () => {
  const declined = ended({ reason: 'busy', why: 'declined (603 Decline)', sip_status: 603 })
  assert.equal(endOf(declined, 'busy'), 'declined (603 Decline)')
  assert.match(JSON.stringify(conversationOf(declined, (by) => by)), /Ended: declined \(603 Decline\)/)
  assert.equal(endOf(ended({ reason: 'hangup' }), 'hangup'), 'hung up')
  assert.match(JSON.stringify(conversationOf(ended({ reason: 'hangup' }), (by) => by)), /Ended: hung up/)
})

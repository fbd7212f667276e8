import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usualLimits } from './limits.ts'

// Every other test reads the numbers here or sets its own, so that only this one sees them change.
test('one source, and all of them together, have these limits if nothing else is set', () => {
  assert.deepEqual(usualLimits, {
    messagesPerS: 1_000,
    newRequestsPerS: 50,
    ringingOfSource: 250,
    connectionsOfSource: 64,
    unacknowledgedOfSource: 100,
    unacknowledged: 500,
    ringing: 1_000,
    dialogs: 4_000,
    transactions: 20_000,
    transactionsOfDialog: 200,
    connections: 1_000,
    handshakesPerS: 20,
    sources: 10_000,
  })
})

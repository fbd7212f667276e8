import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { Finalization } from './finalization.ts'

/** Counts what is sent, on a clock that the test moves. */
function counted(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let sent = 0
  const finalization = new Finalization(() => (sent += 1))
  return { finalization, sent: () => sent, pass: (ms: number) => t.mock.timers.tick(ms) }
}

test('the first pause is finalized at once, and one that follows soon is finalized later', (t) => {
  const { finalization, sent, pass } = counted(t)
  finalization.wish(1_000)
  assert.equal(sent(), 1)
  pass(500)
  finalization.wish(1_500)
  finalization.wish(1_600)
  pass(2_499)
  assert.equal(sent(), 1)
  pass(1)
  assert.equal(sent(), 2)
  pass(3_000)
  assert.equal(sent(), 2)
  finalization.wish(9_000)
  assert.equal(sent(), 3)
})

test('a pause is not finalized if the vendor commits by itself meanwhile', (t) => {
  const { finalization, sent, pass } = counted(t)
  finalization.wish(1_000)
  finalization.wish(2_000)
  finalization.committed()
  pass(3_000)
  assert.equal(sent(), 1)
})

test('a pause is not finalized once the caller continues; words from before it do not count', (t) => {
  const { finalization, sent, pass } = counted(t)
  finalization.wish(1_000)
  finalization.wish(2_000)
  finalization.heard([{ text: ' late', start_ms: 1_700 }])
  pass(3_000)
  assert.equal(sent(), 2)
  finalization.wish(6_000)
  finalization.heard([{ text: ' and', start_ms: 6_100 }])
  pass(3_000)
  assert.equal(sent(), 2)
})

test('nothing is finalized after the end', (t) => {
  const { finalization, sent, pass } = counted(t)
  finalization.wish(1_000)
  finalization.wish(2_000)
  finalization.stop()
  pass(9_000)
  assert.equal(sent(), 1)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { giveUpMs, Repeating, usualTiming } from './timing.ts'

test('what is sent again waits twice as long each time, up to a bound, until it is stopped', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const sentMs: number[] = []
  let nowMs = 0
  const repeating = new Repeating(usualTiming.t1Ms, usualTiming.t2Ms, () => sentMs.push(nowMs))
  const passUntil = (ms: number) => {
    for (; nowMs < ms; context.mock.timers.tick(500)) nowMs += 500
  }
  passUntil(16_000)
  assert.deepEqual(sentMs, [500, 1_500, 3_500, 7_500, 11_500, 15_500])
  repeating.stop()
  passUntil(30_000)
  assert.equal(sentMs.length, 6)
  assert.equal(giveUpMs(usualTiming), 32_000)
})

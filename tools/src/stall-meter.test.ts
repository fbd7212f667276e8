import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { StallMeter } from './stall-meter.ts'

test('a process that got no time was stalled, and what began later was not', async (t) => {
  const meter = new StallMeter()
  t.after(() => meter.stop())
  const startedAt = performance.now()
  const until = startedAt + 300
  while (performance.now() < until);
  assert.ok(meter.longestSince(startedAt) >= 250)
  await sleep(50)
  assert.ok(meter.longestSince(startedAt) >= 250)
  assert.ok(meter.longestSince(performance.now() + 1_000) < 250)
})

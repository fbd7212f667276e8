import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayMs, later } from '../../foundation/clock.ts'
import { retryAt } from './retry-times.ts'

const created = new Date('2026-11-18T12:00:00Z')

test('a delivery is attempted again at growing intervals for three days, the last time at their end', () => {
  const waits: number[] = []
  let now = created
  for (let attempts = 1; ; attempts += 1) {
    const next = retryAt(attempts, created, now, 0)
    if (!next) break
    waits.push((next.getTime() - now.getTime()) / 1000)
    now = next
  }
  assert.deepEqual(waits.slice(0, 10), [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 43_200])
  assert.equal(now.getTime() - created.getTime(), 3 * dayMs)
  assert.ok(waits.length >= 12, `${waits.length} retries`)
})

test('what failed together comes back spread over a fifth of the interval', () => {
  const [soonest, latest] = [0, 1].map((random) => retryAt(5, created, created, random))
  assert.equal(soonest?.getTime(), later(created, 1_800_000).getTime())
  assert.equal(latest?.getTime(), later(created, 2_160_000).getTime())
})

test('what is sent again by hand after its three days is given up at once if it fails', () => {
  assert.equal(retryAt(1, created, later(created, 4 * dayMs)), undefined)
})

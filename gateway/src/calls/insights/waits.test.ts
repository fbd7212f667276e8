import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitAt, waitCount, waitOf } from './waits.ts'

test('a percentile of the waits that are only counted is within a twentieth of the real one', () => {
  const heard = Array.from({ length: waitCount }, () => 0)
  const real = Array.from({ length: 1000 }, (_, at) => 200 + at * 3)
  for (const ms of real) heard[waitOf(ms)] = (heard[waitOf(ms)] ?? 0) + 1
  for (const share of [0.5, 0.95]) {
    const exact = real[share * 1000 - 1] ?? 0
    const told = waitAt(share, heard) ?? 0
    assert.ok(Math.abs(told - exact) <= exact / 20, `${told} for ${exact}`)
  }
})

test('waits of any length count, and without one there is no percentile', () => {
  assert.deepEqual([-5, 0, 50, 1e9].map(waitOf), [0, 0, 0, waitCount - 1])
  assert.equal(waitAt(0.5, []), null)
})

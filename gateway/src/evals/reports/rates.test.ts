import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fisher, isSignificant, percentile, rateOf } from './rates.ts'

const rounded = (value: number | null) => value && Math.round(value * 10_000) / 10_000

test("a rate has Wilson's interval, as published tables have it", () => {
  // Newcombe, Statistics in Medicine 17 (1998), table I: method 3.
  const published: [passed: number, of: number, low: number, high: number][] = [
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ]
  for (const [passed, of, low, high] of published) {
    const rate = rateOf(passed, of)
    assert.deepEqual([rounded(rate.low), rounded(rate.high)], [low, high])
  }
  assert.deepEqual(rateOf(0, 0), { passed: 0, of: 0, rate: null, low: null, high: null })
})

test('two rates differ by more than chance as Fisher’s exact test says', () => {
  assert.equal(rounded(fisher(3, 1, 1, 3)), 0.4857) // the lady tasting tea, two-sided
  assert.equal(rounded(fisher(1, 9, 11, 3)), 0.0028)
  assert.equal(isSignificant({ passed: 1, of: 10 }, { passed: 11, of: 14 }), true)
  assert.equal(isSignificant({ passed: 9, of: 10 }, { passed: 10, of: 10 }), false)
  assert.equal(isSignificant({ passed: 0, of: 0 }, { passed: 10, of: 10 }), false)
})

test('a percentile is a latency that was measured', () => {
  const sorted = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
  assert.deepEqual(
    [0.5, 0.9, 0.99].map((share) => percentile(sorted, share)),
    [5, 9, 10],
  )
  assert.equal(percentile([], 0.5), null)
})

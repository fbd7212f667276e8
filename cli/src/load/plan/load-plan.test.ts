import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spread } from './load-plan.ts'
import { durationMs, ratePerS, spelledMs } from './quantities.ts'
import { seededRandom } from './seeded-random.ts'
import { placesIn, stepsOf } from './steps.ts'
import { spelledMeasured, targetIn, targetsFor } from './targets.ts'

test('durations, rates and targets are read in the plain form, and nothing else is', () => {
  assert.deepEqual(['200ms', '1.5s', '2m', '1h'].map(durationMs), [200, 1_500, 120_000, 3_600_000])
  assert.deepEqual(['', '5', '-1s', '1e3s', 's', '5 parsecs'].map(durationMs), Array(6).fill(undefined))
  assert.deepEqual(['20', '20/s', '90/m'].map(ratePerS), [20, 20, 1.5])
  assert.deepEqual(['', '-1', '1/x', 'fast'].map(ratePerS), Array(4).fill(undefined))
  assert.deepEqual(targetIn('p95=1.5s'), { series: null, measure: 'p95', limit: 1_500 })
  assert.deepEqual(targetIn('failures=0.5%'), { series: null, measure: 'failures', limit: 0.005 })
  const named = { series: 'chats.open', measure: 'max', limit: 80 }
  assert.deepEqual(targetIn('chats.open.max=80ms'), named)
  for (const odd of ['p95', 'p95=fast', 'p12=1s', 'failures=2s', 'failures=101%', 'p95=1.5'])
    assert.equal(targetIn(odd), undefined, odd)
  assert.deepEqual([1.26, 320, 1_500, 45_000, 150_000].map(spelledMs), [
    '1.3 ms',
    '320 ms',
    '1.50 s',
    '45.0 s',
    '2.5 min',
  ])
  assert.deepEqual([spelledMeasured('failures', 0.005), spelledMeasured('failures', 0)], ['0.5%', '0%'])
})

test('a ramp climbs in even steps and ends in the step that holds the whole load', () => {
  const steps = stepsOf({ rampMs: 40_000, rampSteps: 4, holdMs: 60_000 })
  assert.deepEqual(
    steps.map(({ fromMs, toMs, share }) => [fromMs, toMs, share]),
    [
      [0, 10_000, 0.2],
      [10_000, 20_000, 0.4],
      [20_000, 30_000, 0.6],
      [30_000, 40_000, 0.8],
      [40_000, 100_000, 1],
    ],
  )
  assert.deepEqual(
    steps.map((step) => placesIn(step, 3)),
    [1, 1, 2, 2, 3],
  )
  assert.equal(stepsOf({ rampMs: 0, rampSteps: 4, holdMs: 1_000 }).length, 1)
})

test('a mixed load is spread by the shares, and no profile is left out', () => {
  const shares = new Map([
    ['chats', 6],
    ['dials', 1],
  ] as const)
  assert.deepEqual(
    [...spread({ atOnce: 14 }, shares)],
    [
      ['chats', { atOnce: 12 }],
      ['dials', { atOnce: 2 }],
    ],
  )
  assert.deepEqual(spread({ atOnce: 1 }, shares).get('dials'), { atOnce: 1 })
  assert.deepEqual(spread({ perS: 7 }, shares).get('chats'), { perS: 6 })
})

test('a target of the command line takes the place of the usual one of its kind, and leaves the other', () => {
  const usual = { chats: ['p95=1.5s', 'failures=1%'], 'chats.open': [] }
  const named = (texts: string[]) =>
    targetsFor(
      texts.flatMap((text) => targetIn(text) ?? []),
      usual,
      ['chats'],
    ).map(({ series, measure, limit }) => `${series} ${measure} ${limit}`)
  assert.deepEqual(named([]), ['chats p95 1500', 'chats failures 0.01'])
  assert.deepEqual(named(['p99=3s']), ['chats p99 3000', 'chats failures 0.01'])
  assert.deepEqual(named(['chats.open.p95=1s', 'failures=0%']), [
    'chats failures 0',
    'chats p95 1500',
    'chats.open p95 1000',
  ])
})

test('the same seed gives the same numbers', () => {
  const [one, same, other] = [seededRandom(7), seededRandom(7), seededRandom(8)]
  const three = (random: () => number) => [random(), random(), random()]
  const numbers = three(one)
  assert.deepEqual(three(same), numbers)
  assert.notDeepEqual(three(other), numbers)
  assert.ok(numbers.every((number) => number >= 0 && number < 1))
})

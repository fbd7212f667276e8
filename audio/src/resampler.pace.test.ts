import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sine, strengthOf } from '../testing/tones.ts'
import { Resampler } from './resampler.ts'
import { quickResampling } from './resampling-filter.ts'

const inCalls = { quality: quickResampling, keepsPace: true }
const rates = [8000, 16_000, 24_000, 48_000]

/** The whole, in frames of 20 ms. */
function resampled(samples: Int16Array, from: number, to: number): Int16Array {
  const resampler = new Resampler(from, to, inCalls)
  const made: number[] = []
  for (let at = 0; at < samples.length; at += from / 50)
    made.push(...resampler.take(samples.subarray(at, at + from / 50)))
  return Int16Array.from(made)
}

for (const from of rates)
  for (const to of rates)
    test(`sound at ${from} Hz is the same sound at ${to} Hz, frame by frame`, () => {
      const made = resampled(sine(1000, from, from), from, to)
      assert.equal(made.length, to)
      const steady = made.subarray(to / 10, to)
      assert.ok(Math.abs(strengthOf(1000, steady, to) - 1) < 0.005)
      const power = steady.reduce((sum, sample) => sum + sample * sample, 0) / steady.length
      assert.ok(Math.abs(power / (8000 * 8000 * 0.5) - 1) < 0.01, 'and nothing beside it')
    })

test('what a lower rate cannot hold is left out, and does not come back as another sound', () => {
  const made = resampled(sine(5000, 48_000, 48_000), 48_000, 8000)
  const loudest = Math.max(...made.subarray(800))
  assert.ok(loudest < 40, `${loudest}`)
})

test('pieces of whatever length make the same whole', () => {
  const samples = sine(700, 9600, 48_000)
  const whole = resampled(samples, 48_000, 16_000)
  const resampler = new Resampler(48_000, 16_000, inCalls)
  const made: number[] = []
  for (let at = 0, step = 1; at < samples.length; at += step, step = (step * 7 + 3) % 997)
    made.push(...resampler.take(samples.subarray(at, at + step)))
  assert.deepEqual(Int16Array.from(made), whole)
})

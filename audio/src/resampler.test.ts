import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Resampler } from './resampler.ts'

const tone = (hertz: number, rate: number, seconds = 0.5) =>
  Float32Array.from({ length: rate * seconds }, (_, at) => Math.sin((2 * Math.PI * hertz * at) / rate))

/** Without the edges, where the tone begins and ends. */
const middle = (samples: Float32Array) => samples.subarray(500, -500)

const loudest = (samples: Float32Array) =>
  samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)

test('a tone keeps its height, its loudness and its place at another rate', () => {
  for (const from of [8_000, 22_050, 24_000, 44_100, 48_000]) {
    const resampler = new Resampler(from, 16_000)
    const heard = Float32Array.of(...resampler.push(tone(1_000, from)), ...resampler.end())
    assert.equal(heard.length, 8_000, `from ${from}`)
    const wanted = tone(1_000, 16_000)
    const wrong = loudest(middle(heard.map((sample, at) => sample - (wanted[at] ?? 0))))
    assert.ok(wrong < 0.002, `from ${from}: off by ${wrong}`)
  }
})

test('what the lower rate cannot hold is taken out and does not fold back', () => {
  for (const [from, hertz] of [
    [24_000, 10_000],
    [48_000, 9_500],
    [48_000, 20_000],
  ] as const) {
    const left = loudest(middle(new Resampler(from, 16_000).push(tone(hertz, from))))
    assert.ok(left < 0.003, `${hertz} Hz from ${from}: ${left} is left`)
  }
})

test('pieces of any size make the same stream', () => {
  const samples = tone(440, 22_050)
  const whole = new Resampler(22_050, 16_000).push(samples)
  const piecewise = new Resampler(22_050, 16_000)
  const pieces: number[] = []
  for (let at = 0, size = 1; at < samples.length; at += size, size = (size * 7) % 301)
    pieces.push(...piecewise.push(samples.subarray(at, at + size)))
  assert.deepEqual(pieces, [...whole])
})

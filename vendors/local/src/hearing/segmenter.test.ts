import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Segment, Segmenter } from './segmenter.ts'
import { frameSamples } from './silero.ts'

const frameSeconds = frameSamples / 16_000

/** Frames that hold their own number, so that it shows which came out. */
function heard(
  segmenter: Segmenter,
  stretches: readonly (readonly [seconds: number, probability: number])[],
) {
  const segments: Segment[] = []
  let number = 0
  for (const [seconds, probability] of stretches)
    for (let frame = 0; frame < Math.round(seconds / frameSeconds); frame += 1) {
      const segment = segmenter.push(new Float32Array(frameSamples).fill(number), probability)
      if (segment) segments.push(segment)
      number += 1
    }
  return segments
}

const near = (seconds: number, wanted: number) =>
  assert.ok(Math.abs(seconds - wanted) <= 2 * frameSeconds, `${seconds}, not ${wanted}`)

test('a stretch of speech is cut out with its times, once it is silent for half a second', () => {
  const segments = heard(new Segmenter(), [
    [1, 0.1],
    [2, 0.9],
    [0.3, 0.1], // a breath
    [1, 0.9],
    [1, 0.1],
    [1, 0.8],
    [0.6, 0.2],
  ])
  assert.equal(segments.length, 2)
  near(segments[0]?.start ?? 0, 1)
  near(segments[0]?.end ?? 0, 4.3)
  near(segments[1]?.start ?? 0, 5.3)
  near(segments[1]?.end ?? 0, 6.3)
})

test('a segment begins a little before the speech and ends a little after it', () => {
  const [segment] = heard(new Segmenter(), [
    [1, 0.1],
    [1, 0.9],
    [1, 0.1],
  ])
  near((segment?.samples[0] ?? 0) * frameSeconds, 0.74)
  near((segment?.samples.at(-1) ?? 0) * frameSeconds, 2.2)
})

test('a click is no speech', () => {
  const segmenter = new Segmenter()
  assert.deepEqual(
    heard(segmenter, [
      [1, 0.1],
      [0.06, 0.9],
      [1, 0.1],
    ]),
    [],
  )
  assert.equal(segmenter.spokenFrames, 0)
})

test('speech without a pause is cut where it sounds least like speech, and nothing of it twice', () => {
  const segmenter = new Segmenter()
  const segments = heard(segmenter, [
    [13, 0.9],
    [0.1, 0.6],
    [6, 0.9],
  ])
  assert.equal(segments.length, 1)
  near(segments[0]?.end ?? 0, 13.1)
  const rest = segmenter.end()
  assert.equal(rest?.start, segments[0]?.end)
  assert.equal(rest?.samples[0], (segments[0]?.samples.at(-1) ?? 0) + 1)
})

test('speech that is ended by a wish is not heard again in what follows', () => {
  const segmenter = new Segmenter()
  heard(segmenter, [[1, 0.9]])
  const first = segmenter.end()
  assert.ok(first)
  assert.equal(segmenter.end(), undefined)
  const last = first.samples.length / frameSamples
  const [second] = heard(segmenter, [
    [1, 0.9],
    [1, 0.1],
  ])
  near(second?.start ?? 0, last * frameSeconds)
  assert.equal(second?.samples[0], 0, 'the first frame that came after the wish')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FrameGathering } from './frame-gathering.ts'

const rate = 8_000
const frameOf = (value: number) => new Int16Array(160).fill(value)

function gathering() {
  const passed: Int16Array[] = []
  const frames = new FrameGathering(rate, (samples) => void passed.push(samples))
  const add = (count: number) => {
    for (let n = 0; n < count; n += 1) frames.add(frameOf(n))
  }
  const lengths = () => passed.splice(0).map(({ length }) => length / 160)
  return { frames, passed, add, lengths }
}

test('while nobody speaks, sound goes to the transcribers in pieces of 100 ms, and all of it in order', () => {
  const { passed, add } = gathering()
  add(12)
  assert.deepEqual(
    passed.map((piece) => piece.filter((_, at) => at % 160 === 0)),
    [Int16Array.of(0, 1, 2, 3, 4), Int16Array.of(5, 6, 7, 8, 9)],
  )
})

test('what waits goes first when somebody speaks, and then each frame at once', () => {
  const { frames, add, lengths } = gathering()
  add(3)
  frames.voiceStarted()
  assert.deepEqual(lengths(), [3])
  add(200)
  assert.deepEqual(new Set(lengths()), new Set([1]))
})

test('for a second after a voice each frame still goes at once: a transcript may wait for the silence', () => {
  const { frames, add, lengths } = gathering()
  frames.voiceStarted()
  frames.voiceEnded()
  add(60)
  assert.deepEqual(lengths(), [...Array.from({ length: 50 }, () => 1), 5, 5])
})

test('what waits is passed on when it is asked for', () => {
  const { frames, add, lengths } = gathering()
  add(2)
  frames.flush()
  frames.flush()
  assert.deepEqual(lengths(), [2])
})

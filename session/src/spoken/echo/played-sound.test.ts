import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PlayedSound } from './played-sound.ts'

const frame = 160
const sound = (frames: number) =>
  Int16Array.from({ length: frames * frame }, (_, n) => 1 + Math.floor(n / frame))

/** A leg whose clock a test moves, and the number of the frame that was played at each moment; 0 for silence. */
function leg() {
  const line = { playedMs: 0 }
  const played = new PlayedSound(8_000, () => line.playedMs)
  const next = () => played.next(frame)?.[0] ?? 0
  return { line, played, next }
}

test('the reference is what was played while a frame was heard, and silence otherwise', () => {
  const { line, played, next } = leg()
  assert.equal(next(), 0)
  played.gave(sound(3))
  assert.equal(next(), 0, 'given is not played')
  const heard = [20, 40, 60, 60, 60, 60].map((playedMs) => {
    line.playedMs = playedMs
    return next()
  })
  assert.deepEqual(heard.slice(0, 3), [1, 2, 3])
  assert.equal(heard.at(-1), 0)
})

test('frames that were played and heard in one burst stay in step', () => {
  const { line, played, next } = leg()
  played.gave(sound(8))
  line.playedMs = 20
  assert.equal(next(), 1)
  line.playedMs = 120
  assert.deepEqual([next(), next(), next(), next(), next()], [2, 3, 4, 5, 6])
  line.playedMs = 140
  assert.equal(next(), 7)
})

test('what was cleared before it was played is no reference', () => {
  const { line, played, next } = leg()
  played.gave(sound(5))
  line.playedMs = 40
  assert.equal(next(), 2, 'the newest frame, if the first was not heard beside anything')
  played.cleared()
  played.gave(Int16Array.from({ length: frame }, () => 99))
  line.playedMs = 60
  assert.equal(next(), 99)
})

test('a reference that is always behind catches up', () => {
  const { line, played, next } = leg()
  played.gave(sound(60))
  line.playedMs = 20
  next()
  for (let n = 3; n < 50; n += 1) {
    line.playedMs = n * 20
    next()
  }
  line.playedMs = 50 * 20
  assert.equal(next(), 50)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Reception } from './reception.ts'

const frame = 160

/** Puts packets that came exactly in time, or so much later. */
function puts(
  reception: Reception,
  sequences: number[],
  lateMs: (place: number) => number = () => 0,
  ssrc = 1,
) {
  for (const [place, sequence] of sequences.entries())
    reception.put(
      { ssrc, sequence: sequence & 0xffff, timestamp: (sequence * frame) >>> 0 },
      1000 + sequence * 20 + lateMs(place),
      true,
    )
}
const from = (first: number, count: number) => Array.from({ length: count }, (_, place) => first + place)

test('what is missing between two packets is lost, across a wrap of the sequence too', () => {
  const reception = new Reception(8000)
  puts(reception, [...from(65_530, 10), ...from(65_545, 5)])
  assert.deepEqual(reception.totals, { expected: 20, lost: 5 })
  assert.deepEqual(
    { ...reception.report(), jitter: 0 },
    { ssrc: 1, fractionLost: 0.25, lost: 5, highest: 65_549, jitter: 0 },
  )
  puts(reception, from(65_550, 10))
  assert.equal(reception.report()?.fractionLost, 0)
})

test('a packet that comes late is not lost, and one that comes twice hides no loss from the totals', () => {
  const reception = new Reception(8000)
  puts(reception, [10, 12, 11, 13])
  assert.deepEqual(reception.totals, { expected: 4, lost: 0 })
  puts(reception, [13, 13])
  assert.deepEqual(reception.totals, { expected: 4, lost: 0 })
  assert.equal(reception.report()?.lost, -2)
})

test('a source that counts anew loses nothing by it, and one stray packet changes nothing', () => {
  const reception = new Reception(8000)
  puts(reception, from(100, 10))
  puts(reception, [40_000])
  puts(reception, from(110, 5))
  assert.deepEqual(reception.totals, { expected: 15, lost: 0 })
  puts(reception, from(30_000, 10)) // the first of them is not counted
  assert.deepEqual(reception.totals, { expected: 24, lost: 0 })
  puts(reception, from(5, 10), undefined, 2)
  assert.deepEqual(reception.totals, { expected: 34, lost: 0 })
  assert.equal(reception.report()?.ssrc, 2)
})

test('jitter is the mean deviation of arrivals, smoothed by 16 (RFC 3550 6.4.1)', () => {
  const steady = new Reception(8000)
  puts(steady, from(0, 100))
  assert.equal(steady.jitterMs, 0)
  const uneven = new Reception(8000)
  puts(uneven, from(0, 500), (place) => (place % 2) * 10)
  assert.ok(Math.abs(uneven.jitterMs - 10) < 0.01, String(uneven.jitterMs))
  const pressed = new Reception(8000)
  for (const sequence of from(0, 50))
    pressed.put({ ssrc: 1, sequence, timestamp: 0 }, 1000 + sequence * 20, false)
  assert.equal(pressed.jitterMs, 0)
})

test('nothing is reported of a source that was never heard', () => {
  const reception = new Reception(8000)
  assert.equal(reception.report(), undefined)
  assert.deepEqual(reception.totals, { expected: 0, lost: 0 })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mosOf, rating } from './mos.ts'

test('a rating reads as ITU-T G.107 lists it: 4.34 at 90, 4.03 at 80, 3.60 at 70, 3.10 at 60, 2.58 at 50', () => {
  for (const [r, mos] of [
    [90, 4.34],
    [80, 4.03],
    [70, 3.6],
    [60, 3.1],
    [50, 2.58],
    [93.2, 4.41],
    [0, 1],
    [-20, 1],
    [100, 4.5],
    [140, 4.5],
  ] as const)
    assert.ok(Math.abs(mosOf(r) - mos) < 0.01, `R ${r}`) // as it is printed there, rounded
})

test('a line without delay and loss has the rating that G.107 gives for its defaults, 93.2', () => {
  for (const codec of ['PCMU', 'PCMA', 'opus'])
    assert.equal(rating({ codec, lossPercent: 0, delayMs: 0 }), 93.2)
  assert.equal(rating({ codec: 'G729', lossPercent: 0, delayMs: 0 }), 82.2)
})

test('loss costs what G.113 says of a codec, and delay what Cole and Rosenbluth measured', () => {
  const by = (lossPercent: number, delayMs = 0, codec = 'PCMU') =>
    Math.round((93.2 - rating({ codec, lossPercent, delayMs })) * 10) / 10
  assert.equal(by(1), 3.6)
  assert.equal(by(5), 15.8)
  assert.equal(by(25.1), 47.5)
  assert.equal(by(5, 0, 'G729'), 28.5)
  assert.equal(by(0, 100), 2.4)
  assert.equal(by(0, 177.3), 4.3)
  assert.equal(by(0, 300), 20.7)
  assert.equal(by(-3, -10), 0)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { minuteMs, secondMs } from '../../foundation/clock.ts'
import { idleEntries } from './idleness.ts'

const activeAt = 1000
const at = (seconds: number) => new Date((activeAt + seconds) * secondMs)
const warning = (remainingSeconds: number, idleTimeoutSeconds: number) => [
  { type: 'session.idleWarning', data: { remainingSeconds, idleTimeoutSeconds } },
]

test('a minute before the end, or half the time if that is shorter, a warning comes once', () => {
  const standing = { activeAt, isWarned: false }
  assert.deepEqual(idleEntries(standing, 30 * minuteMs, at(1739)), [])
  assert.deepEqual(idleEntries(standing, 30 * minuteMs, at(1740)), warning(60, 1800))
  assert.deepEqual(idleEntries({ activeAt, isWarned: true }, 30 * minuteMs, at(1799)), [])
  assert.deepEqual(idleEntries(standing, 10 * secondMs, at(4.9)), [])
  assert.deepEqual(idleEntries(standing, 10 * secondMs, at(5)), warning(5, 10))
})

test('once the time is over the call ends, warned or not', () => {
  const ends = [
    { type: 'session.timeout', data: { reason: 'idle_timeout' } },
    { type: 'call.ended', data: { reason: 'idle_timeout' } },
  ]
  for (const isWarned of [true, false])
    assert.deepEqual(idleEntries({ activeAt, isWarned }, 30 * minuteMs, at(1800)), ends)
})

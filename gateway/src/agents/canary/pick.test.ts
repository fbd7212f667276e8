import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPicked } from './pick.ts'

const places = {
  call_0008: 24,
  call_0010: 26,
  call_0001: 30,
  call_0002: 40,
  call_0006: 48,
  call_0009: 53,
  call_0004: 58,
  call_0005: 61,
  call_0003: 99,
  call_0007: 99,
}
const pickedAt = (share: number) => Object.keys(places).filter((call) => isPicked(call, share))

test('a call is picked by its id alone, at every share above its place (SD-33, ST-057)', () => {
  for (const [call, place] of Object.entries(places))
    assert.deepEqual([isPicked(call, place), isPicked(call, place + 1)], [false, true], call)
  assert.deepEqual(pickedAt(24), [])
  assert.deepEqual(pickedAt(25), ['call_0008'])
  assert.equal(pickedAt(99).length, 8)
  assert.equal(pickedAt(100).length, 10)
})

test('a share picks about that many calls in a hundred, and a call stays picked when the share grows (SD-33)', () => {
  const calls = Array.from({ length: 10_000 }, (_, at) => `call_${at.toString(16).padStart(24, '0')}`)
  const picked = (share: number) => calls.filter((call) => isPicked(call, share))
  assert.deepEqual([picked(0).length, picked(100).length], [0, calls.length])
  const few = picked(20)
  assert.ok(Math.abs(few.length - 2000) < 150, String(few.length))
  assert.ok(few.every((call) => isPicked(call, 21)))
})

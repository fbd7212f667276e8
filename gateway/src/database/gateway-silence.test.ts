import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GatewaySilence } from './gateway-silence.ts'

const gw = (seenAt: string | null) => [{ id: 'gw', seenAt }]

test('a gateway is dead after five seconds without its lock and without a new heartbeat, however often it is looked for', () => {
  const silence = new GatewaySilence()
  for (const ms of [0, 1, 900, 2000, 4999]) assert.deepEqual(silence.deadAmong(gw('1'), ms), [])
  assert.deepEqual(silence.deadAmong(gw('1'), 5000), ['gw'])
})

test('one whose heartbeat goes on is not dead, and one that is not listed is', () => {
  const silence = new GatewaySilence()
  for (let ms = 0; ms < 60_000; ms += 1000)
    assert.deepEqual(silence.deadAmong(gw(String(Math.floor(ms / 4000))), ms), [])
  for (let ms = 60_000; ms < 65_000; ms += 1000) assert.deepEqual(silence.deadAmong(gw(null), ms), [])
  assert.deepEqual(silence.deadAmong(gw(null), 65_000), ['gw'])
})

test('one that has its lock back begins anew, and a look of another gateway that hides it does not', () => {
  const silence = new GatewaySilence()
  silence.deadAmong(gw('1'), 0)
  for (const ms of [1000, 2000, 3000]) assert.deepEqual(silence.deadAmong([], ms), [])
  for (const ms of [4000, 5000, 6000]) assert.deepEqual(silence.deadAmong(gw('1'), ms), [])
  assert.deepEqual(silence.deadAmong([], 7000), [])
  assert.deepEqual(silence.deadAmong(gw('1'), 8000), [])
  assert.deepEqual(silence.deadAmong(gw('1'), 9000), ['gw'])
})

test('after a look that failed everything begins anew, because the others may have been without the database too', () => {
  const silence = new GatewaySilence()
  silence.deadAmong(gw('1'), 0)
  silence.restart()
  assert.deepEqual(silence.deadAmong(gw('1'), 60_000), [])
  assert.deepEqual(silence.deadAmong(gw('1'), 65_000), ['gw'])
})

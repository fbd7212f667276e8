import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patienceLeftMs } from './patience.ts'

const signs = { isConnected: true, heardAt: 100_000, soundAt: 100_000, reconnectedAt: -Infinity }

test('a browser that sent sound and then nothing at all is gone after 4.5 seconds', () => {
  assert.ok(patienceLeftMs(signs, 104_400) > 0)
  assert.ok(patienceLeftMs(signs, 104_600) < 0)
  assert.ok(patienceLeftMs({ ...signs, heardAt: 100_900 }, 105_500) < 0)
})

test('a browser without sound that asks whether we are there has fifteen seconds to ask again', () => {
  const quiet = { ...signs, heardAt: 106_000 }
  assert.ok(patienceLeftMs(quiet, 120_900) > 0)
  assert.ok(patienceLeftMs(quiet, 121_100) < 0)
  assert.ok(patienceLeftMs({ ...quiet, soundAt: -Infinity }, 120_900) > 0)
})

test('a browser has twenty seconds to connect, and again from when it reconnects', () => {
  assert.ok(patienceLeftMs({ ...signs, isConnected: false }, 119_900) > 0)
  assert.ok(patienceLeftMs({ ...signs, isConnected: false }, 120_100) < 0)
  const reconnecting = { ...signs, reconnectedAt: 104_000 }
  assert.ok(patienceLeftMs(reconnecting, 123_900) > 0)
  assert.ok(patienceLeftMs(reconnecting, 124_100) < 0)
  assert.ok(patienceLeftMs({ ...reconnecting, heardAt: 104_100, soundAt: 104_100 }, 108_700) < 0)
})

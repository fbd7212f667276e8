import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { Endpointing } from './endpointing.ts'

function endpointing(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const told: string[] = []
  return {
    told,
    voice: new Endpointing((state) => told.push(state)),
    tick: (ms: number) => t.mock.timers.tick(ms),
  }
}

test('a turn is over once the voice was quiet for as long as the settings want', (t) => {
  const { told, voice, tick } = endpointing(t)
  voice.started()
  voice.ended(200, { endpointing_ms: 900 })
  tick(699)
  assert.deepEqual([told, voice.isSpeaking], [['started'], true])
  tick(1)
  assert.deepEqual([told, voice.isSpeaking], [['started', 'ended'], false])
})

test('a voice that was quiet for longer than that ends its turn at once, and one that continues does not', (t) => {
  const { told, voice, tick } = endpointing(t)
  voice.started()
  voice.ended(500, { endpointing_ms: 900 })
  voice.started()
  tick(10_000)
  assert.deepEqual(told, ['started'])
  voice.ended(600, {})
  tick(0)
  assert.deepEqual(told, ['started', 'ended'])
})

test('after the call nothing is said about its turns', (t) => {
  const { told, voice, tick } = endpointing(t)
  voice.started()
  voice.ended(0, {})
  voice.close()
  tick(10_000)
  assert.deepEqual(told, ['started'])
})

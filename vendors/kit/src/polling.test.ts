import assert from 'node:assert/strict'
import { test } from 'node:test'
import { polled } from './polling.ts'

test('it looks again until there is something to see, and a failure is seen at once', async () => {
  const answers = [undefined, undefined, 'done']
  const started = performance.now()
  assert.equal(await polled(async () => answers.shift(), AbortSignal.timeout(10_000)), 'done')
  assert.ok(performance.now() - started >= 500, 'a vendor is not asked without a pause')
  const failing = polled(() => Promise.reject(new Error('gone')), AbortSignal.timeout(10_000))
  await assert.rejects(failing, { message: 'gone' })
})

test('a cancel ends the waiting', async () => {
  const cancel = new AbortController()
  const waiting = polled(async () => {
    setImmediate(() => cancel.abort())
    return undefined
  }, cancel.signal)
  await assert.rejects(waiting, { name: 'AbortError' })
})

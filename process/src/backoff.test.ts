import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Backoff, retry } from './backoff.ts'

/** Keeps the process awake: the pauses themselves do not. */
const awake = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('each pause is twice as long as the one before, up to the longest', async () => {
  const backoff = new Backoff({ firstMs: 1, longestMs: 3 })
  const pauses: number[] = []
  for (let n = 0; n < 4; n += 1) {
    pauses.push(backoff.nextMs)
    await Promise.all([backoff.wait(), awake(10)])
  }
  assert.deepEqual(pauses, [1, 2, 3, 3])
})

test('a pause ends when its signal aborts', async () => {
  const beganMs = performance.now()
  await new Backoff({ firstMs: 60_000, longestMs: 60_000 }).wait(AbortSignal.abort())
  assert.ok(performance.now() - beganMs < 5_000)
})

const options = { firstMs: 1, longestMs: 2, forMs: 60_000, isRetryable: (error: unknown) => error === 'busy' }

test('a retryable failure is tried again until it succeeds', async () => {
  let attempts = 0
  const attempt = async () => {
    attempts += 1
    if (attempts < 4) throw 'busy' as unknown as Error
    return attempts
  }
  const [result] = await Promise.all([retry(attempt, options), awake(100)])
  assert.equal(result, 4)
})

test('another failure is not tried again, and no failure after the time is over', async () => {
  let attempts = 0
  const fail = (reason: string) => async () => {
    attempts += 1
    throw reason as unknown as Error
  }
  await assert.rejects(retry(fail('refused'), options), (error) => error === 'refused')
  await assert.rejects(retry(fail('busy'), { ...options, forMs: 0 }), (error) => error === 'busy')
  assert.equal(attempts, 2)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureOfAnswer } from './answer-failures.ts'

const failure = (status: number, headers: Record<string, string> = {}, body = '') =>
  failureOfAnswer({ status, header: (name) => headers[name] ?? null, body, words: 'sorry' })

test('a vendor that would take the same request later names a wait, or has the usual one', () => {
  for (const status of [408, 409, 429, 503, 529]) assert.equal(failure(status).retryAfterMs, 500)
  for (const status of [400, 401, 404, 500, 502]) assert.equal(failure(status).retryAfterMs, undefined)
})

test('a vendor that says no has refused, and one that failed or is overloaded gave no answer (SD-26)', () => {
  const kinds = [400, 429, 500, 503, 529].map((status) => failure(status).kind)
  assert.deepEqual(kinds, ['refused', 'refused', 'silent', 'silent', 'silent'])
})

test('a wait is read in milliseconds, in seconds, as a date and from the body of Google', () => {
  const soon = new Date(Date.now() + 60_000).toUTCString()
  const retryInfo = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '38.5s' }
  assert.equal(failure(429, { 'retry-after-ms': '70', 'retry-after': '9' }).retryAfterMs, 70)
  assert.equal(failure(429, { 'retry-after': '1.5' }).retryAfterMs, 1_500)
  assert.equal(failure(429, { 'retry-after': '0' }).retryAfterMs, 0)
  assert.ok((failure(503, { 'retry-after': soon }).retryAfterMs ?? 0) > 30_000)
  assert.equal(failure(429, {}, JSON.stringify({ error: { details: [retryInfo] } })).retryAfterMs, 38_500)
  assert.equal(failure(429, { 'retry-after': 'later' }).retryAfterMs, 500)
})

test('an account that is not paid for is not asked again', () => {
  assert.equal(failure(429, {}, '{"error":{"code":"insufficient_quota"}}').retryAfterMs, undefined)
})

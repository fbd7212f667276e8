import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AvoidedTargets, readRetryAfter } from './avoided-targets.ts'

const target = (address: string) => ({ transport: 'udp', address, port: 5060, name: address }) as const

test('a target that asked for time is last until the time is over, and no longer than ten minutes', (t) => {
  let nowMs = 1_000
  t.mock.method(performance, 'now', () => nowMs)
  const avoided = new AvoidedTargets()
  const inOrder = () => avoided.inOrder(['one', 'two'].map(target)).map(({ address }) => address)
  avoided.avoid(target('one'), 60_000)
  assert.deepEqual(inOrder(), ['two', 'one'])
  nowMs += 60_000
  assert.deepEqual(inOrder(), ['one', 'two'])
  avoided.avoid(target('one'), 1e12)
  nowMs += 10 * 60_000
  assert.deepEqual(inOrder(), ['one', 'two'])
  avoided.avoid(target('one'), 60_000)
  avoided.forgive(target('one'))
  assert.deepEqual(inOrder(), ['one', 'two'])
  avoided.avoid(target('one'), 60_000)
  for (let other = 0; other < 1_000; other++) avoided.avoid(target(`other-${other}`), 60_000)
  assert.deepEqual(inOrder(), ['one', 'two'], 'the oldest is forgotten when there are too many')
})

test('Retry-After is read with its comment and parameters', () => {
  for (const [written, ms] of [
    ['120', 120_000],
    ['18000;duration=3600', 18_000_000],
    ['60 (in maintenance)', 60_000],
    ['soon', null],
    ['-5', null],
    [undefined, null],
  ] as const)
    assert.equal(readRetryAfter(written), ms)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openFence } from '../../testing/sip-peer.ts'
import type { SipFence } from './calls.ts'
import { plainAddress, SipGate } from './gate.ts'
import { usualLimits, TokenBuckets } from './limits.ts'

const fence = (name: string, ...networks: string[]): SipFence => ({ ...openFence, name, networks })
const gateOf = (...fences: SipFence[]) => new SipGate(() => fences, false)
const names = (gate: SipGate, address: string) => gate.fencesOf(address).map(({ name }) => name)

test('a source is admitted by every fence whose networks hold it', () => {
  const fences = [
    fence('one', '54.172.60.0/30', '203.0.113.7'),
    fence('two', '54.172.60.2/31'),
    fence('wide', '0.0.0.0/0'),
  ]
  const gate = new SipGate(() => fences, false)
  assert.deepEqual(names(gate, '54.172.60.0').toSorted(), ['one', 'wide'])
  assert.deepEqual(names(gate, '54.172.60.3').toSorted(), ['one', 'two', 'wide'])
  assert.deepEqual(names(gate, '54.172.60.4'), ['wide'])
  assert.deepEqual(names(gate, '203.0.113.7').toSorted(), ['one', 'wide'])
  assert.deepEqual(names(gate, '255.255.255.255'), ['wide'])
  assert.deepEqual(names(gate, '2001:db8::1'), [])
  assert.equal(plainAddress('::ffff:203.0.113.7'), '203.0.113.7')
})

test('what is no network admits no source, and neither does a fence without one', () => {
  const gate = gateOf(
    fence(
      'bad',
      'sip.example.com',
      '',
      '10.0.0.0/33',
      '10.0.0.0/',
      '10.0.0.0/8/8',
      '10.0.0.0/-1',
      '10.0.0/8',
    ),
    fence('none'),
  )
  for (const address of ['10.0.0.0', '10.0.0.1', '0.0.0.0', '127.0.0.1', 'sip.example.com', ''])
    assert.equal(gate.isAdmitted(address), false, address)
})

test('fences hold as soon as they are others', () => {
  let fences: SipFence[] = []
  const gate = new SipGate(() => fences, false)
  assert.equal(gate.isAdmitted('127.0.0.1'), false)
  fences = [openFence]
  assert.equal(gate.isAdmitted('127.0.0.1'), true)
  fences = []
  assert.equal(gate.isAdmitted('127.0.0.1'), false)
})

test('this machine is admitted if its phones may ask for agents, and no other machine is', () => {
  const gate = new SipGate(() => [], true)
  assert.deepEqual(
    ['127.0.0.1', '127.9.9.9', '::1', '128.0.0.1', '10.0.0.1'].map((address) => gate.isAdmitted(address)),
    [true, true, true, false, false],
  )
})

test('a source has its burst, then its rate, and takes nothing of others', (context) => {
  let nowMs = 0
  context.mock.method(performance, 'now', () => nowMs)
  const buckets = new TokenBuckets(10)
  const taken = (key: string, times: number) =>
    Array.from({ length: times }, () => buckets.take(key)).filter(Boolean).length
  assert.equal(taken('a', 100), 20)
  assert.equal(taken('b', 5), 5)
  nowMs = 500
  assert.equal(taken('a', 100), 5)
  for (let n = 0; n < usualLimits.sources * 2; n++) buckets.take(`spoofed ${n}`)
  assert.equal(taken('a', 100), 20, 'the oldest are forgotten, so that there are never too many')
})

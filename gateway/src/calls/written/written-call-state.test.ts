import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '@switchroom/contract/log'
import { entriesFor, stateOf } from './written-call-state.ts'

type Said = [type: string, data?: Record<string, unknown>]

const logOf = (...said: Said[]): Entry[] =>
  said.map(([type, data = {}], at) => {
    return { seq: at + 1, ts: 100 + at, call: 'c', agent: 'a', type, ephemeral: false, data }
  })
const started: Said = ['chat.started']
const user = (messageId: string): Said => ['user.message', { text: messageId, messageId }]
const model = (answers?: string): Said => [
  'agent.message',
  { text: 'so', messageId: 'm', source: 'model', ...(answers !== undefined && { answers }) },
]
const say = (source: string): Said => ['agent.message', { text: 'so', messageId: 'm', source }]
const waitingIn = (...said: Said[]) =>
  stateOf(logOf(...said)).waiting.map(({ messages }) => messages.map(({ data }) => data['messageId']))

test('messages wait one after the other until an answer names them', () => {
  assert.deepEqual(waitingIn(started, user('a'), user('b')), [['a'], ['b']])
  assert.deepEqual(waitingIn(started, user('a'), user('b'), model('a')), [['b']])
  assert.deepEqual(waitingIn(started, user('a'), user('b'), model('b')), [])
  assert.deepEqual(waitingIn(started, user('a'), ['metrics', { answers: 'a' }]), [])
  assert.deepEqual(waitingIn(started, user('a'), model('of another log')), [['a']])
})

test('what an app or a person says on an open call answers nothing, and what the person who took it over says answers all', () => {
  assert.deepEqual(waitingIn(started, user('a'), say('say')), [['a']])
  assert.deepEqual(waitingIn(started, user('a'), user('b'), say('human')), [['a'], ['b']])
  assert.deepEqual(waitingIn(started, user('a'), ['call.taken_over'], user('b'), say('human')), [])
})

test("on release all that waits is one turn when the newest is the caller's, and nothing otherwise (ND-81)", () => {
  const over: Said = ['call.taken_over']
  const released: Said = ['call.released']
  assert.deepEqual(waitingIn(started, over, user('a'), user('b'), released), [['a', 'b']])
  assert.deepEqual(waitingIn(started, over, user('a'), say('human'), user('b'), released), [['b']])
  assert.deepEqual(waitingIn(started, over, user('a'), say('human'), released), [])
  assert.deepEqual(waitingIn(started, user('a'), over, say('say'), released), [])
  assert.deepEqual(waitingIn(started, over, user('a'), released, user('b')), [['a'], ['b']])
  assert.deepEqual(waitingIn(started, user('a'), model(), over, released), [['a']])
  const answeredLate = [started, user('a'), user('b'), model('a')]
  assert.deepEqual(waitingIn(...answeredLate, over, released), [['b']])
  assert.deepEqual(waitingIn(...answeredLate, model('b'), over, released), [])
  assert.equal(stateOf(logOf(started, over)).isHeld, true)
  assert.equal(stateOf(logOf(started, over, released)).isHeld, false)
})

test('only turns and the beginning count as life, and a warning until the next of them', () => {
  const warned: Said = ['session.idleWarning']
  const lifeOf = (...said: Said[]) => {
    const { activeAt, isWarned } = stateOf(logOf(...said))
    return [activeAt, isWarned]
  }
  assert.deepEqual(lifeOf(started), [100, false])
  assert.deepEqual(lifeOf(started, user('a'), ['metrics'], ['call.taken_over']), [101, false])
  assert.deepEqual(lifeOf(started, user('a'), warned), [101, true])
  assert.deepEqual(lifeOf(started, warned, say('say')), [102, false])
})

test('a turn reads nothing that came after it, and a greeting that was late before the first message', () => {
  const log = logOf(started, user('a'), say('say'), user('b'), user('c'))
  const [, , third] = stateOf(log).waiting
  const [first, second] = stateOf(log).waiting
  assert.ok(first && second && third)
  const idsFor = (turn: typeof first) => entriesFor(turn, log).map(({ type, seq }) => `${seq} ${type}`)
  assert.deepEqual(idsFor(first), ['1 chat.started', '1.5 agent.message', '2 user.message'])
  assert.deepEqual(idsFor(second), [
    '1 chat.started',
    '1.5 agent.message',
    '2 user.message',
    '4 user.message',
  ])
  const answered = logOf(started, user('a'), model('a'), user('b'))
  const [next] = stateOf(answered).waiting
  assert.ok(next)
  assert.deepEqual(entriesFor(next, answered), answered)
})

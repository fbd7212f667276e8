import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asks, isAudio, replied, wordsOf } from '@switchroom/kit/testing/realtime-script'
import type { RealtimeAsked, RealtimeTold } from '@switchroom/kit/vendor'
import { LiveTalk } from '../testing/live-talk.ts'

const loud = (ms: number) =>
  new Uint8Array(Int16Array.from({ length: ms * 16 }, (_, at) => 6_000 * Math.sin(at / 8)).buffer)
const started: RealtimeAsked = { type: 'speech', state: 'started' }
const ended: RealtimeAsked = { type: 'speech', state: 'ended' }
const yourTurn = 'user: It is your turn to speak now.'
const isUsed = (told: RealtimeTold) => told.type === 'used'
const count = (told: readonly RealtimeTold[], type: RealtimeTold['type']) =>
  told.filter((one) => one.type === type).length

test('a connection that is about to end is left when nothing is said, and the conversation continues on the next', async () => {
  const talk = new LiveTalk()
  const told = await talk.run([
    asks('r1'),
    replied('r1'),
    isUsed,
    { act: () => talk.connection().goesAway() },
    talk.reconnected(),
    started,
    loud(100),
    ended,
    asks('r2'),
    replied('r2'),
  ])
  assert.deepEqual(talk.errors, [])
  assert.equal(count(told, 'ready'), 1)
  assert.equal(wordsOf(told, 'r2'), 'Hello there.')
  const { setup, known, messages, heardBytes } = talk.connection()
  assert.deepEqual(setup.sessionResumption, { handle: 'handle_2' })
  assert.deepEqual(setup.systemInstruction, { parts: [{ text: 'Be brief.' }] })
  assert.equal(setup.tools?.length, 1)
  assert.deepEqual(
    known,
    [yourTurn, 'model: Hello there.', 'user: What time is it?', 'model: Hello there.'],
    'nothing is sent twice',
  )
  assert.ok(!messages.some(({ contextUpdate }) => contextUpdate))
  assert.equal(heardBytes, 3_200)
})

test('a connection that is about to end is not left in the middle of an answer', async () => {
  const talk = new LiveTalk({ answer: () => ({ text: 'one two three four five six' }), saysOnly: 2 })
  const told = await talk.run([
    asks('r1'),
    isAudio,
    { act: () => talk.connection().goesAway() },
    new Uint8Array(640),
    { act: () => assert.equal(talk.vendor.connections.length, 1) },
    { act: () => (talk.vendor.behaviour.saysOnly = Infinity) },
    replied('r1'),
    isUsed,
    talk.reconnected(),
    asks('r2'),
    replied('r2'),
  ])
  assert.equal(wordsOf(told, 'r1'), 'one two three four five six')
  assert.equal(wordsOf(told, 'r2'), 'one two three four five six')
  assert.equal(talk.vendor.connections.length, 2)
})

test('a connection that ends before a quiet moment comes is left with all that the party said so far', async () => {
  const talk = new LiveTalk()
  const told = await talk.run([
    asks('r1'),
    replied('r1'),
    isUsed,
    started,
    loud(300),
    talk.until(() => talk.connection().heardBytes === 9_600),
    { act: () => talk.connection().goesAway('0.1s') },
    talk.reconnected(),
    loud(100),
    ended,
    asks('r2'),
    replied('r2'),
  ])
  assert.deepEqual(talk.errors, [])
  assert.equal(talk.connection().heardBytes, 12_800)
  assert.equal(wordsOf(told, 'r2'), 'Hello there.')
  assert.equal(count(told, 'turn'), 2)
})

test('a connection that breaks while the party speaks is opened again, and sent what was said', async () => {
  const talk = new LiveTalk()
  const told = await talk.run([
    asks('r1'),
    replied('r1'),
    isUsed,
    started,
    loud(300),
    talk.until(() => talk.connection().heardBytes === 9_600),
    { act: () => talk.connection().breaksOff() },
    talk.reconnected(),
    loud(100),
    ended,
    asks('r2'),
    replied('r2'),
  ])
  assert.deepEqual(talk.errors, [])
  assert.deepEqual([talk.connection().heardBytes, count(told, 'ready')], [12_800, 1])
  assert.equal(wordsOf(told, 'r2'), 'Hello there.')
})

test('a connection that breaks before an answer began is opened again, and answers there', async () => {
  const talk = new LiveTalk({ breaksAfter: [undefined, 0] })
  const told = await talk.run([
    asks('r1'),
    replied('r1'),
    isUsed,
    started,
    loud(300),
    ended,
    asks('r2'),
    replied('r2'),
  ])
  assert.equal(talk.vendor.connections.length, 2)
  assert.deepEqual(
    told.flatMap((one) => (one.type === 'replied' ? [[one.reply, one.failure]] : [])),
    [
      ['r1', null],
      ['r2', null],
    ],
  )
  assert.equal(wordsOf(told, 'r2'), 'Hello there.')
  assert.equal(talk.connection().heardBytes, 9_600)
})

test('the next connection is sent in words what was said after the last handle, and does not answer it again', async () => {
  const talk = new LiveTalk()
  const told = await talk.run([
    { act: () => (talk.vendor.behaviour.isForgetful = true) },
    started,
    loud(100),
    ended,
    asks('r1'),
    replied('r1'),
    isUsed,
    { act: () => talk.connection().breaksOff() },
    talk.until(() => talk.vendor.connections.length === 2 && talk.connection().known.length === 2),
    asks('r2'),
    replied('r2'),
  ])
  assert.deepEqual(talk.errors, [])
  assert.equal(wordsOf(told, 'r2'), 'Hello there.')
  const { setup, known } = talk.connection()
  assert.deepEqual(setup.sessionResumption, { handle: 'handle_1' })
  assert.deepEqual(known, ['user: What time is it?', 'model: Hello there.', yourTurn, 'model: Hello there.'])
})

test('a connection that breaks in the middle of an answer ends the conversation, which the session begins anew', async () => {
  const talk = new LiveTalk({ answer: () => ({ text: 'one two three' }), breaksAfter: [undefined, 2] })
  const talking = talk.run([asks('r1'), replied('r1'), isUsed, asks('r2'), replied('r2')])
  const message = 'it broke off: Deadline expired before operation could complete.'
  await assert.rejects(talking, { kind: 'silent', message })
  assert.equal(talk.vendor.connections.length, 1)
  assert.equal(wordsOf(talk.told, 'r2'), 'one two ')
})

test('a connection that breaks while a tool runs ends the conversation, which the session begins anew', async () => {
  const calls = [{ id: 'c1', name: 'look', arguments: '{}' }]
  const talk = new LiveTalk({ answer: () => ({ text: 'One moment.', calls }) })
  const steps = [asks('r1'), replied('r1'), { act: () => talk.connection().breaksOff() }, () => false]
  await assert.rejects(talk.run(steps), { kind: 'silent', message: /^it broke off/ })
})

test('a session that cannot be resumed ends the conversation, which the session begins anew', async () => {
  const talk = new LiveTalk()
  const steps = [
    asks('r1'),
    replied('r1'),
    isUsed,
    {
      act: () => {
        talk.vendor.handles.clear()
        talk.connection().breaksOff()
      },
    },
    () => false,
  ]
  await assert.rejects(talk.run(steps), { kind: 'refused', message: 'Session not found' })
  assert.equal(talk.vendor.connections.length, 2)
})

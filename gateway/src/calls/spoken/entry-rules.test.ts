import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readRuns } from './entry-rules.ts'

const of = (type: string, data: Record<string, unknown> = {}) => ({ type, data })
const said = of('user.message', { text: 'hello', messageId: 'm1' })

test('what is kept and what is only shown goes in runs, in the order it came (ND-106)', () => {
  const sent = [
    of('speech.started'),
    of('user.speaking', { text: 'hel' }),
    said,
    { ...of('my.own'), ephemeral: true },
    of('turn.end'),
    { ...of('bot.word'), ephemeral: false },
  ]
  assert.deepEqual(
    readRuns(sent).map(({ isEphemeral, entries }) => [isEphemeral, entries.map(({ type }) => type)]),
    [
      [true, ['speech.started', 'user.speaking']],
      [false, ['user.message']],
      [true, ['my.own']],
      [false, ['turn.end']],
      [true, ['bot.word']],
    ],
  )
})

test('a type reads as the documents write them, or it is refused (ND-107)', () => {
  for (const type of ['error', 'metrics', 'call.dtmf_received', 'session.idleWarning', 'a.b.c'])
    assert.doesNotThrow(() => readRuns([of(type)]), type)
  for (const type of [
    '',
    'call',
    'User.message',
    'user.',
    '.message',
    'user message.x',
    'user.Message',
    'a\n.b',
  ])
    assert.throws(() => readRuns([of(type)]), /is no type of entry: it reads as user\.message does$/, type)
  assert.throws(() => readRuns([of(`a.${'b'.repeat(100)}`)]), /is no type of entry/)
})

test('what others decide no worker writes (ND-107)', () => {
  const others = [
    'call.started',
    'call.taken_over',
    'call.released',
    'call.routed',
    'callback.requested',
    'message.waiting',
    'message.taken',
    'agent.held',
    'agent.released',
    'say.requested',
    'transfer.requested',
    'tones.requested',
    'recording.stored',
    'llm.toolCall',
    'tool.result',
    'chat.started',
    'msgapp.message',
    'session.paused',
    'log.gap',
  ]
  for (const type of others)
    assert.throws(() => readRuns([of(type)]), { status: 400, message: `the gateway itself writes ${type}` })
  assert.doesNotThrow(() => readRuns([of('agent.message', { text: 'hi', messageId: 'm' })]))
  assert.doesNotThrow(() => readRuns([of('message.confirmed', { messageId: 'm' })]))
})

test('a call ends for a reason of the closed set, as the last of its entries (N-436)', () => {
  const reasons = 'hangup timeout idle_timeout max_duration no_answer busy failed dial_failed'.split(' ')
  for (const reason of reasons) assert.doesNotThrow(() => readRuns([of('call.ended', { reason })]), reason)
  for (const reason of ['routed', 'bored', undefined])
    assert.throws(() => readRuns([of('call.ended', { reason })]), {
      status: 400,
      message: `the reason of call.ended is one of ${reasons.join(' · ')}`,
    })
  assert.throws(() => readRuns([of('call.ended', { reason: 'hangup' }), said]), {
    status: 400,
    message: 'call.ended is the last entry of a call',
  })
})

test('turns have words, and what others act on is kept', () => {
  assert.throws(() => readRuns([of('agent.message', { text: 'hi' })]), {
    status: 400,
    message: 'agent.message has a text and a messageId',
  })
  assert.throws(() => readRuns([{ ...said, ephemeral: true }]), {
    status: 400,
    message: 'user.message is kept: send it without ephemeral',
  })
})

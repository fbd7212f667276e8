import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { Talk } from '../testing/talk.ts'
import { generationsIn, messagesOf, outcomeOf, pendingToolCalls, unfinishedTurn } from './history.ts'

const call = (id: string, name = 'look_up') => ({ id, name, arguments: '{"order":42}' })

test('everybody who speaks for the agent is the assistant, and what was said while a person held the call is there', () => {
  const talk = new Talk().hears('One').hears('Two')
  talk.add('agent.message', { text: 'Hello', messageId: 'm', source: 'say' })
  talk.add('call.taken_over', { by: 'mem_1' }).hears('Are you a person?')
  talk.add('agent.message', { text: 'I am.', messageId: 'n', source: 'human', by: 'mem_1' })
  talk.add('call.released', { by: 'mem_1' }).add('metrics', { stage: 'llm' }).hears('Thanks')
  assert.deepEqual(messagesOf(talk.entries), [
    { role: 'user', text: 'One' },
    { role: 'user', text: 'Two' },
    { role: 'assistant', text: 'Hello' },
    { role: 'user', text: 'Are you a person?' },
    { role: 'assistant', text: 'I am.' },
    { role: 'user', text: 'Thanks' },
  ])
})

test('results come right after their calls, the first of two counts, and a missing one is a sentence', () => {
  const talk = new Talk().hears('Where?')
  talk.add('llm.toolCall', { msgId: 'm', toolCalls: [call('a'), call('b'), call('c')], text: 'One moment.' })
  talk.add('tool.result', { id: 'b', name: 'look_up', ok: true, result: 'first' }).hears('Hello?')
  talk.add('tool.result', { id: 'b', name: 'look_up', ok: false, result: 'second' })
  talk.add('tool.result', { id: 'nobody', name: 'look_up', ok: true, result: 'lost' })
  const outcomes = [{ id: 'c', name: 'look_up', ok: true, text: 'just now' }]
  const tool = (id: string, text: string) => ({ role: 'tool', call: id, name: 'look_up', text })
  assert.deepEqual(messagesOf(talk.entries, outcomes), [
    { role: 'user', text: 'Where?' },
    { role: 'assistant', text: 'One moment.', calls: [call('a'), call('b'), call('c')] },
    tool('a', 'It is not known what became of this.'),
    tool('b', 'first'),
    tool('c', 'just now'),
    { role: 'user', text: 'Hello?' },
  ])
})

test('what a tool answered is read as text, whatever it is', () => {
  const text = (result: unknown) => outcomeOf({ id: 'a', name: 'look_up', ok: true, result }).text
  assert.deepEqual(['on its way', { at: [1] }, 7, null, undefined].map(text), [
    'on its way',
    '{"at":[1]}',
    '7',
    'null',
    'null',
  ])
  assert.equal(outcomeOf({ id: 'a', name: 'n', ok: 'yes', result: '' }).ok, false)
})

test('calls are pending until they are answered or their turn ends, however it ends', () => {
  const begun = () =>
    new Talk().hears('Where?', 'u1').add('llm.toolCall', { msgId: 'm', toolCalls: [call('a'), call('b')] })
  const talk = begun().add('tool.result', { id: 'a', name: 'look_up', ok: true, result: '' })
  talk.add('agent.message', { text: 'Wait.', messageId: 's', source: 'say' }).hears('Hello?')
  assert.deepEqual(pendingToolCalls(talk.entries), [
    { entry: talk.entries[1], msgId: 'm', calls: [call('b')] },
  ])
  assert.deepEqual(unfinishedTurn(talk.entries), { msgId: 'm', rounds: 1, said: [] })
  const ends = [
    ['agent.message', { text: 'Here.', messageId: 'm', source: 'model' }],
    ['agent.message', { text: 'I see.', messageId: 'n', source: 'human' }],
    ['agent.message', { text: 'Sorry?', messageId: 'm', source: 'say', answers: 'u1' }],
    ['metrics', { stage: 'llm', answers: 'u1' }],
    ['error', { code: 'llm_failed', detail: 'no' }],
    ['error', { code: 'llm_timeout', waited_s: 12 }],
  ] as const
  for (const [type, data] of ends) {
    const over = begun().add(type, data)
    assert.deepEqual([pendingToolCalls(over.entries), unfinishedTurn(over.entries)], [[], null], type)
  }
  for (const type of ['tool_failed', 'msgapp_not_sent'])
    assert.equal(pendingToolCalls(begun().add('error', { code: type }).entries).length, 1)
})

test('tools that ran while the user wrote on are read with the answer they were for', () => {
  const talk = new Talk().hears('One', 'u1').hears('Two', 'u2')
  talk.add('llm.toolCall', { msgId: 'm', toolCalls: [call('a')] })
  talk.add('tool.result', { id: 'a', name: 'look_up', ok: true, result: 'here' })
  talk.add('agent.message', { text: 'It is here.', messageId: 'm', source: 'model', answers: 'u1' })
  assert.deepEqual(messagesOf(talk.entries), [
    { role: 'user', text: 'One' },
    { role: 'assistant', text: '', calls: [call('a')] },
    { role: 'tool', call: 'a', name: 'look_up', text: 'here' },
    { role: 'assistant', text: 'It is here.' },
    { role: 'user', text: 'Two' },
  ])
})

test('a greeting that broke off among its tools is unfinished, though no user waits', () => {
  const talk = new Talk().add('llm.toolCall', { msgId: 'm', toolCalls: [call('a')], text: 'Let me see.' })
  assert.deepEqual(unfinishedTurn(talk.entries), { msgId: 'm', rounds: 1, said: ['Let me see.'] })
})

test('a turn that was given up for another leaves it neither its words nor its rounds', () => {
  const talk = new Talk().hears('One')
  talk.add('llm.toolCall', { msgId: 'm', toolCalls: [call('a')], text: 'First.' }).hears('Two')
  talk.add('llm.toolCall', { msgId: 'n', toolCalls: [call('b')], text: 'Second.' })
  assert.deepEqual(unfinishedTurn(talk.entries), { msgId: 'n', rounds: 1, said: ['Second.'] })
})

test('generations that went on with the conversation are counted, also those without an answer', () => {
  const talk = new Talk().add('metrics', { stage: 'llm' }).add('metrics', { stage: 'tts' })
  talk.add('metrics', { stage: 'llm', purpose: 'memory' }).add('error', { code: 'llm_timeout' })
  talk.add('error', { code: 'llm_failed' }).add('error', { code: 'tool_failed' })
  assert.equal(generationsIn(talk.entries), 3)
})

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const users = fc.constantFrom('u1', 'u2', 'u3')
const anyText = fc.constantFrom('', 'Hello', 'What now?')
const given = fc.constantFrom('{}', '{"n":1}', '[1]', '{"cut', '')
const anyFact = fc.oneof(
  fc.record({ type: fc.constant('user.message'), data: fc.record({ text: anyText, messageId: users }) }),
  fc.record({
    type: fc.constant('agent.message'),
    data: fc.record(
      { text: anyText, messageId: id, source: fc.constantFrom('model', 'say', 'human'), answers: users },
      { requiredKeys: ['text', 'messageId', 'source'] },
    ),
  }),
  fc.record({
    type: fc.constant('llm.toolCall'),
    data: fc.record({
      msgId: id,
      text: anyText,
      toolCalls: fc.oneof(
        fc.array(fc.record({ id, name: fc.constant('look_up'), arguments: given }), { maxLength: 3 }),
        fc.constant('none'),
      ),
    }),
  }),
  fc.record({
    type: fc.constant('tool.result'),
    data: fc.record({ id, name: fc.constant('look_up'), ok: fc.boolean(), result: anyText }),
  }),
  fc.record({ type: fc.constantFrom('metrics', 'error', 'call.released'), data: fc.constant({}) }),
)

test('whatever a log holds, every call is followed by its results, in order, once, and nothing else answers a call', () => {
  fc.assert(
    fc.property(fc.array(anyFact, { maxLength: 25 }), (facts) => {
      const talk = new Talk()
      for (const { type, data } of facts) talk.add(type, data)
      const messages = messagesOf(talk.entries)
      const awaited: string[] = []
      const seen = new Set<string>()
      for (const message of messages) {
        if (message.role === 'tool') {
          assert.equal(message.call, awaited.shift())
          continue
        }
        assert.equal(awaited.length, 0)
        const calls = message.role === 'assistant' ? (message.calls ?? []) : []
        assert.ok(message.text !== '' || calls.length > 0)
        for (const asked of calls) {
          assert.ok(!seen.has(asked.id))
          seen.add(asked.id)
          awaited.push(asked.id)
          assert.equal(typeof JSON.parse(asked.arguments), 'object')
          assert.ok(!Array.isArray(JSON.parse(asked.arguments)))
        }
      }
      assert.equal(awaited.length, 0)
      const written = facts.flatMap(({ type, data }) =>
        type === 'user.message' && 'text' in data ? [data.text] : [],
      )
      assert.deepEqual(
        messages.filter(({ role }) => role === 'user').map(({ text }) => text),
        written.filter((text) => text !== ''),
      )
      const open = pendingToolCalls(talk.entries).flatMap(({ calls }) => calls)
      for (const pending of open) assert.ok(seen.has(pending.id))
    }),
    { numRuns: 500 },
  )
})

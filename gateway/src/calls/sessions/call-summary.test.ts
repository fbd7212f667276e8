import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { Entry } from '@switchroom/contract/log'
import { summaryAfter, type LogSummary } from './call-summary.ts'

const nothing: LogSummary = {
  state: 'open',
  reason: null,
  ended_at: null,
  held_by: null,
  turns: [],
  tools: [],
  errors: [],
  usage: [],
  callbacks: [],
}

const logOf = (...facts: [type: string, data: Record<string, unknown>][]): Entry[] =>
  facts.map(([type, data], at) => ({
    seq: at + 1,
    ts: 100 + at,
    call: 'call_1',
    agent: 'desk',
    type,
    ephemeral: false,
    data,
  }))
const told = (...facts: [type: string, data: Record<string, unknown>][]) =>
  summaryAfter(nothing, logOf(...facts))

test('turns are listed in order, by their speaker: the contact, the agent or a person in its place', () => {
  const { turns } = told(
    ['user.message', { text: 'hello', messageId: 'm1' }],
    ['agent.message', { text: 'hi', messageId: 'm2', source: 'model' }],
    ['agent.message', { text: 'welcome', messageId: 'm3', source: 'say' }],
    ['user.speaking', { text: 'not a turn' }],
    ['agent.message', { text: 'it is me', source: 'human', by: 'mem_1' }],
  )
  assert.deepEqual(turns, [
    { seq: 1, ts: 100, who: 'contact', text: 'hello', messageId: 'm1' },
    { seq: 2, ts: 101, who: 'agent', text: 'hi', messageId: 'm2' },
    { seq: 3, ts: 102, who: 'agent', text: 'welcome', messageId: 'm3' },
    { seq: 5, ts: 104, who: 'supervisor', text: 'it is me', messageId: null },
  ])
})

test('a tool is open until it is answered, and its first answer counts', () => {
  const toolCalls = [
    { id: 'a', name: 'look', arguments: '{}' },
    { id: 'b', name: 'book', arguments: '{}' },
    { id: 'c', name: 'wait', arguments: '{}' },
  ]
  const { tools } = told(
    ['llm.toolCall', { msgId: 'm', toolCalls }],
    ['tool.result', { id: 'b', name: 'book', ok: true }],
    ['tool.result', { id: 'b', name: 'book', ok: false }],
    ['tool.result', { id: 'a', name: 'look', ok: false }],
    ['tool.result', { id: 'stray', name: 'odd', ok: true }],
  )
  assert.deepEqual(tools, [
    { id: 'a', name: 'look', ok: false },
    { id: 'b', name: 'book', ok: true },
    { id: 'c', name: 'wait', ok: null },
    { id: 'stray', name: 'odd', ok: true },
  ])
})

test('a call is held from a takeover to its release, and ended for good', () => {
  const taken: [string, Record<string, unknown>] = ['call.taken_over', { by: 'mem_1' }]
  const released: [string, Record<string, unknown>] = ['call.released', { by: 'mem_2' }]
  assert.deepEqual(told(taken), { ...nothing, state: 'held', held_by: 'mem_1' })
  assert.deepEqual(told(taken, released), nothing)
  assert.deepEqual(told(taken, released, taken, ['call.ended', { reason: 'hangup', by: 'supervisor' }]), {
    ...nothing,
    state: 'ended',
    ended_at: 103,
    reason: 'hangup',
  })
})

test('usage is summed by stage, vendor, model and key; how long things took is not', () => {
  const block = { stage: 'llm', vendor: 'acme', model: 'big', key: 'lent' }
  const { usage } = told(
    ['metrics', { ...block, input_tokens: 10, output_tokens: 2, total_ms: 900, credits: 0.5 }],
    ['metrics', { ...block, key: 'yours', input_tokens: 1, credits: 0 }],
    ['metrics', { ...block, input_tokens: 5, output_tokens: 1, cached_tokens: 4, credits: 0.25 }],
    ['metrics', { stage: 'tts', vendor: 'acme', characters: 7, key: 'none' }],
    ['metrics', { stage: 'turn', messageId: 'm1', first_audio_ms: 900 }],
    ['metrics', { stage: 'line', codec: 'PCMU', heard: { mos: 4.1 } }],
  )
  assert.deepEqual(usage, [
    { ...block, blocks: 2, amounts: { input_tokens: 15, output_tokens: 3, cached_tokens: 4 }, credits: 0.75 },
    { ...block, key: 'yours', blocks: 1, amounts: { input_tokens: 1 }, credits: 0 },
    {
      stage: 'tts',
      vendor: 'acme',
      model: null,
      key: 'none',
      blocks: 1,
      amounts: { characters: 7 },
      credits: 0,
    },
  ])
})

test('errors and requested callbacks are listed', () => {
  const { errors, callbacks } = told(
    ['error', { code: 'llm_failed', detail: 'it broke', vendor: 'acme' }],
    ['error', { code: 'llm_timeout' }],
    [
      'callback.requested',
      { number: '+34600111222', when: 'tomorrow', note: null, call: 'call_1', via: 'agent' },
    ],
  )
  assert.deepEqual(errors, [
    { seq: 1, ts: 100, code: 'llm_failed', detail: 'it broke' },
    { seq: 2, ts: 101, code: 'llm_timeout', detail: null },
  ])
  assert.deepEqual(callbacks, [
    { seq: 3, ts: 102, number: '+34600111222', when: 'tomorrow', note: null, via: 'agent' },
  ])
})

const word = fc.constantFrom('a', 'b', 'c')
const anything = fc.oneof(
  word,
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.anything({ maxDepth: 1 })),
)
const fields = [
  'text',
  'messageId',
  'source',
  'id',
  'name',
  'ok',
  'toolCalls',
  'by',
  'reason',
  'code',
  'detail',
]
const usual = fc.oneof(
  fc.record({ type: fc.constant('user.message'), data: fc.record({ text: word, messageId: word }) }),
  fc.record({
    type: fc.constant('agent.message'),
    data: fc.record({ text: word, source: fc.constantFrom('model', 'say', 'human') }),
  }),
  fc.record({
    type: fc.constant('llm.toolCall'),
    data: fc.record({ toolCalls: fc.array(fc.record({ id: word, name: word }), { maxLength: 3 }) }),
  }),
  fc.record({
    type: fc.constant('tool.result'),
    data: fc.record({ id: word, name: word, ok: fc.boolean() }),
  }),
  fc.record({
    type: fc.constant('metrics'),
    data: fc.record({
      vendor: word,
      model: word,
      input_tokens: fc.nat(9),
      credits: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  }),
  fc.record({
    type: fc.constantFrom('call.taken_over', 'call.released', 'call.ended'),
    data: fc.record({ by: word }),
  }),
  fc.record({
    type: fc.constantFrom('error', 'callback.requested'),
    data: fc.record({ code: word, number: word }),
  }),
)
const strange = fc.record({
  type: fc.constantFrom(
    'user.message',
    'llm.toolCall',
    'tool.result',
    'metrics',
    'error',
    'new.type',
    'toString',
    '__proto__',
  ),
  data: fc.dictionary(fc.constantFrom(...fields, '__proto__', 'constructor'), anything),
})

test('a log that is read page by page comes to the same as one read whole, and no entry stops the reading', () => {
  const log = fc.array(fc.oneof(usual, strange), { maxLength: 40 })
  const cuts = fc.array(fc.nat(40), { maxLength: 6 })
  fc.assert(
    fc.property(log, cuts, (facts, places) => {
      const entries = logOf(
        ...facts.map(({ type, data }) => [type, data] as [string, Record<string, unknown>]),
      )
      const frozen = JSON.stringify(nothing)
      const bounds = [0, ...places.toSorted((a, b) => a - b), entries.length]
      let paged = nothing
      for (const [at, from] of bounds.entries())
        paged = summaryAfter(paged, entries.slice(from, bounds[at + 1] ?? from))
      assert.deepEqual(paged, summaryAfter(nothing, entries))
      assert.equal(JSON.stringify(nothing), frozen)
    }),
    { numRuns: 500 },
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Expectation } from '@switchroom/contract/evals'
import type { Entry } from '@switchroom/contract/log'
import { mismatch, refuseBadSchema } from './argument-schema.ts'
import { verdictOf } from './expectations.ts'
import { Pattern } from './patterns.ts'
import { toldLanguage } from './told-language.ts'

const logOf = (...entries: [type: string, data: object, ts?: number][]): Entry[] =>
  entries.map(
    ([type, data, ts = 0], n) =>
      ({ seq: n + 1, ts, call: 'c', agent: 'a', type, ephemeral: false, data }) as Entry,
  )
const answer = (one: Expectation, log: Entry[]) => {
  const { answer: said, why, seqs } = verdictOf(one, log)
  return [said, why, seqs]
}
const called = (name: string, given: unknown) =>
  ['llm.toolCall', { toolCalls: [{ id: '1', name, arguments: JSON.stringify(given) }] }] as [string, object]

test('a pattern takes time in proportion to the text', () => {
  const startedMs = performance.now()
  assert.equal(new Pattern('^(a+)+$').isIn(`${'a'.repeat(8000)}!`), false)
  assert.ok(performance.now() - startedMs < 5000)
})

test('arguments are held against a JSON schema, and the reason says which differs', () => {
  const schema = {
    type: 'object',
    required: ['number'],
    additionalProperties: false,
    properties: {
      number: { type: 'string', pattern: '^\\+34' },
      people: { type: 'integer', minimum: 1, maximum: 8 },
    },
  }
  refuseBadSchema('arguments', schema)
  assert.equal(mismatch(schema, { number: '+34911', people: 2 }), undefined)
  assert.equal(mismatch(schema, {}), 'it has no number')
  assert.equal(mismatch(schema, { number: '+33' }), 'number does not match ^\\+34')
  assert.equal(mismatch(schema, { number: '+34', people: 9 }), 'people is not at most 8')
  assert.equal(mismatch(schema, { number: '+34', people: 1.5 }), 'people is not of type integer')
  assert.equal(mismatch(schema, { number: '+34', who: 1 }), 'it has who, which is not asked for')
  assert.equal(mismatch({ items: { enum: [1, 2] } }, [1, 3]), 'it[1] is none of [1,2]')
  assert.equal(mismatch({ anyOf: [{ const: 1 }, { type: 'null' }] }, 2), 'it matches none of anyOf')
  assert.equal(mismatch({ additionalProperties: { type: 'string' } }, { a: 1 }), 'a is not of type string')
})

test('tools are counted, those with other arguments apart', () => {
  const log = logOf(called('book', { day: 'mon' }), called('book', { day: 'tue' }))
  const monday = { properties: { day: { const: 'mon' } } }
  assert.deepEqual(answer({ tool: 'book' }, log), ['yes', 'book is called 2 times', [1, 2]])
  assert.deepEqual(answer({ tool: 'book', arguments: monday, times: 1 }, log), [
    'yes',
    'book is called once',
    [1],
  ])
  assert.deepEqual(answer({ tool: 'book', times: 1 }, log), ['no', 'book is called 2 times', [1, 2]])
  assert.deepEqual(answer({ tool: 'cancel' }, log), ['no', 'cancel is not called', []])
  assert.deepEqual(answer({ no_tool: 'book' }, log), ['no', 'book is called', [1, 2]])
})

test('the order, the end, transfers and latency are read from the log', () => {
  const log = logOf(
    ['user.message', { text: 'Hi' }, 10],
    ['agent.message', { text: 'Hello there', source: 'model' }, 10.4],
    ['user.message', { text: 'A person, please' }, 20],
    ['agent.message', { text: 'One moment', source: 'model' }, 22],
    ['transfer.requested', { to: '+34911234567', kind: 'warm' }, 22],
    ['call.ended', { reason: 'hangup', by: 'app' }, 23],
  )
  assert.deepEqual(answer({ order: [{ type: 'agent.message' }, { type: 'transfer.requested' }] }, log), [
    'yes',
    'they come in this order',
    [2, 5],
  ])
  assert.deepEqual(answer({ order: [{ type: 'call.ended' }, { type: 'user.message' }] }, log), [
    'no',
    'there is no user.message after the others',
    [6],
  ])
  assert.deepEqual(answer({ transferred_to: '+34911234567' }, log), [
    'yes',
    'it is transferred to +34911234567',
    [5],
  ])
  assert.deepEqual(answer({ transferred_to: '+1555' }, log), ['no', 'it is transferred to +34911234567', [5]])
  assert.deepEqual(answer({ ended_by: 'agent' }, log), ['yes', 'ended by agent', [6]])
  assert.deepEqual(answer({ ended_by: 'caller' }, log), ['no', 'ended by agent', [6]])
  assert.deepEqual(answer({ latency_below_ms: 3000 }, log), [
    'yes',
    'the slowest of 2 answers took 2000 ms',
    [],
  ])
  assert.deepEqual(answer({ latency_below_ms: 1000 }, log), [
    'no',
    '1 of 2 answers took longer, the slowest 2000 ms',
    [4],
  ])
  assert.deepEqual(answer({ said: '^One' }, log), ['yes', 'a message matches', [4]])
  assert.deepEqual(answer({ not_said: 'person', by: 'caller' }, log), ['no', 'a message matches', [3]])
})

test('the language of what an agent says is recognised by its script or its most common words', () => {
  const texts = {
    de: 'Guten Tag, wie kann ich Ihnen helfen? Das ist kein Problem.',
    en: 'Good morning, how can I help you with that?',
    es: 'Buenos días, ¿en qué puedo ayudarle? Está aquí para usted.',
    fr: 'Bonjour, je vous écoute. Est-ce que vous avez une question pour nous ?',
    it: 'Buongiorno, come posso aiutarla? Il negozio è aperto.',
    pt: 'Olá, em que posso ajudar? Não se preocupe com isso, obrigado a você.',
    ja: 'お電話ありがとうございます。ご用件をどうぞ。',
    zh: '您好，请问有什么可以帮您？',
    ru: 'Добрый день, чем могу помочь?',
  }
  for (const [language, text] of Object.entries(texts)) assert.equal(toldLanguage(text), language, text)
  assert.equal(toldLanguage('OK'), undefined)
  const log = logOf(['agent.message', { text: 'OK', source: 'model' }])
  assert.deepEqual(answer({ language: 'en' }, log), ['unclear', 'the agent says too little to tell', [1]])
})

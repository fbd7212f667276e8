import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retirementOf, retiringInUse } from './retiring.ts'

const old = { stage: 'llm', model: 'old', on: '2027-01-14' } as const
const hoarse = { stage: 'tts', model: 'hoarse', on: '2027-01-06' } as const
const catalogue = {
  providers: [
    { name: 'acme', does: ['llm', 'tts'] as const, retiring: [hoarse, old] },
    { name: 'other', does: ['llm', 'stt', 'tts'] as const },
  ],
  defaults: { llm: 'acme/old', stt: 'other/ears', tts: 'acme' },
  models: { 'llm/acme': ['new', 'old'], 'tts/acme': ['hoarse'], 'tts/other': ['clear'] },
}
const inUse = (config: object) =>
  retiringInUse(catalogue, config).map(({ stage, model }) => `${stage}/${model}`)

test('the retiring models of an agent are those that its settings or the defaults name, however they are written', () => {
  assert.deepEqual(inUse({}).toSorted(), ['llm/old', 'tts/hoarse'])
  assert.deepEqual(inUse({ llm: 'acme', tts: 'other' }), [])
  assert.deepEqual(inUse({ llm: 'new', tts_model: 'clear' }), [])
  assert.deepEqual(inUse({ llm: 'old', tts: 'other' }), ['llm/old'])
  assert.deepEqual(inUse({ llm: 'other/old', tts: 'acme', tts_model: 'hoarse' }), ['tts/hoarse'])
})

test('a sentence says whether the day is to come', () => {
  const retiring = { vendor: 'acme', ...old }
  assert.equal(retirementOf(retiring, new Date('2027-01-13')), 'acme switches old off on 2027-01-14.')
  assert.equal(retirementOf(retiring, new Date('2027-01-14')), 'acme switched old off on 2027-01-14.')
})

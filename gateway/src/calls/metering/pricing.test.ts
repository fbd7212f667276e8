import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RateTable, type Rates } from '../../providers/rates/rates.ts'
import type { Rate } from '../../providers/rates/rate-file.ts'
import { creditsOf, Pricing } from './pricing.ts'

const rate = (service: Rate['service'], unit: Rate['unit'], credits: number): Rate => ({
  service,
  provider: 'alpha',
  model: unit,
  managed: true,
  tier: 'basic',
  unit,
  credits,
})
const table = new RateTable([
  rate('llm', 'token', 0.0003),
  rate('llm', 'audio_token', 0.01),
  rate('stt', 'minute', 0.6),
  rate('tts', 'character', 0.002),
])
const block = (stage: string, model: string, usage: object, key = 'lent') => ({
  stage,
  vendor: 'alpha',
  model,
  key,
  ...usage,
})

test('a block that ran on a lent key costs what its vendor and model cost a unit (SD-56)', () => {
  const tokens = { input_tokens: 100, output_tokens: 20, first_word_ms: 300 }
  assert.equal(creditsOf(table, block('llm', 'token', tokens)), 0.036)
  assert.equal(creditsOf(table, block('llm', 'audio_token', { ...tokens, input_audio_tokens: 5 })), 0.05)
  assert.equal(creditsOf(table, block('stt', 'minute', { audio_s: 90 })), 0.9)
  assert.equal(creditsOf(table, block('tts', 'character', { characters: 500 })), 1)
})

test("a block that ran on the org's own key, on none, or on a vendor or stage without a price costs nothing (SD-56)", () => {
  const tokens = { input_tokens: 100, output_tokens: 20 }
  for (const key of ['yours', 'none', '', undefined])
    assert.equal(creditsOf(table, { ...block('llm', 'token', tokens), key }), 0)
  assert.equal(creditsOf(table, block('llm', 'another', tokens)), 0)
  assert.equal(creditsOf(table, block('judge', 'token', tokens)), 0)
})

test('what is no amount is no amount', () => {
  for (const input_tokens of [-5, Number.NaN, Infinity, '7', null])
    assert.equal(creditsOf(table, block('llm', 'token', { input_tokens, output_tokens: 10 })), 0.003)
})

test('only metrics are priced, and a price that came with them does not count', async () => {
  const pricing = new Pricing({ table: () => Promise.resolve(table) } as unknown as Rates)
  const said = { type: 'user.message', data: { text: 'hi', credits: 5 } }
  const metrics = {
    type: 'metrics',
    data: { ...block('tts', 'character', { characters: 500 }), credits: 999 },
  }
  assert.deepEqual(await pricing.priced([said, metrics]), [
    said,
    { type: 'metrics', data: { ...metrics.data, credits: 1 } },
  ])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WorkerConfig, WorkerKeys } from '@switchroom/contract/calls'
import { findVendors } from '@switchroom/kit/installed'
import { pino } from 'pino'
import { buildStages, Unrunnable } from './call-stages.ts'

const logger = pino({ level: 'silent' })
const llm = {
  vendor: 'openai',
  model: 'gpt-realtime',
  builds: null,
  options: {},
  key: 'lent',
  temperature: null,
}

/** What the gateway tells of an agent on a realtime model. */
const told = {
  config: { llm: 'openai/gpt-realtime', voice: 'coral' },
  lexicon: { said: [], heard: [] },
  stages: { llm, stt: null, tts: null },
} as unknown as WorkerConfig

const handed = (model: string) =>
  ({ vendor: 'openai', model, key: 'lent', credentials: { api_key: 'k' } }) as const

const keysOf = (model: string, ...fallbacks: string[]): WorkerKeys => ({
  agent: 'desk',
  call: null,
  stages: { llm: { ...handed(model), fallbacks: fallbacks.map(handed) }, stt: null, tts: null },
})

const modelsOf = (runs: readonly { model: string }[]) => runs.map(({ model }) => model)

test('a realtime model is all three, and only another one stands in for it while it speaks (S-381, SD-60)', async () => {
  const keys = keysOf('gpt-realtime', 'gpt-4.1-mini', 'gpt-realtime-mini')
  const { realtime, models, transcribers, voices } = await buildStages(findVendors(), told, keys, logger)
  assert.deepEqual(modelsOf(realtime), ['gpt-realtime', 'gpt-realtime-mini'])
  assert.deepEqual(modelsOf(models), ['gpt-4.1-mini'])
  assert.deepEqual([transcribers, voices], [[], []])
})

test('an agent that has neither ears and a voice nor a model that is both cannot be run', async () => {
  const building = buildStages(findVendors(), told, keysOf('gpt-4.1-mini'), logger)
  await assert.rejects(building, new Unrunnable('no llm of openai can be run on this worker'))
})

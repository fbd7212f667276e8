import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WorkerConfig, WorkerKeys } from '@switchroom/contract/calls'
import type { CallInstructions } from '@switchroom/contract/worker'
import { findVendors } from '@switchroom/kit/installed'
import { spokenSetup, Unrunnable } from './spoken-setup.ts'

const llm = {
  vendor: 'openai',
  model: 'gpt-realtime',
  builds: null,
  options: {},
  key: 'lent',
  temperature: null,
}

/** The settings of an agent on a realtime model, as the gateway hands them to a worker. */
const settings = {
  config: { llm: 'openai/gpt-realtime', voice: 'coral' },
  lexicon: { said: [], heard: [] },
  stages: { llm, stt: null, tts: null },
} as unknown as WorkerConfig

const handed = (model: string) =>
  ({ vendor: 'openai', model, key: 'lent', credentials: { api_key: 'k' } }) as const

const keysOf = (model: string, ...fallbacks: string[]): WorkerKeys => ({
  agent: 'support',
  call: null,
  stages: { llm: { ...handed(model), fallbacks: fallbacks.map(handed) }, stt: null, tts: null },
})

const app = {
  prompt: null,
  tools: [],
  facts: [],
  contact: null,
  send_audio_metrics: false,
  call: { metadata: {} },
} as unknown as CallInstructions

const setUp = (keys: WorkerKeys) =>
  spokenSetup({
    vendors: findVendors(),
    settings,
    keys,
    app,
    search: () => assert.fail('nothing is looked up'),
    onBrokenVendor: () => {},
  })

const modelsOf = (runs: readonly { model: string }[]) => runs.map(({ model }) => model)

test('a realtime model is all three, and only another realtime model is its fallback (S-381, SD-60)', async () => {
  const keys = keysOf('gpt-realtime', 'gpt-4.1-mini', 'gpt-realtime-mini')
  const { realtime, models, transcribers, voices } = await setUp(keys)
  assert.deepEqual(modelsOf(realtime), ['gpt-realtime', 'gpt-realtime-mini'])
  assert.deepEqual(modelsOf(models), ['gpt-4.1-mini'])
  assert.deepEqual([transcribers, voices], [[], []])
})

test('an agent with neither speech-to-text and a voice nor a realtime model cannot be run', async () => {
  await assert.rejects(
    setUp(keysOf('gpt-4.1-mini')),
    new Unrunnable('no llm of openai can be run on this worker'),
  )
})

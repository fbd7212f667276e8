import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostOf } from './hosts.ts'
import { liveLanguage, liveModel, recordedModels } from './models.ts'

test('the live product is its English model for English, and its multilingual one for anything else', () => {
  const models = [undefined, 'en', 'en-GB', 'pt-BR'].map((language) =>
    liveModel('universal-streaming', language),
  )
  const [english, multilingual] = ['universal-streaming-english', 'universal-streaming-multilingual']
  assert.deepEqual(models, [multilingual, english, english, multilingual])
  assert.equal(liveModel('u3-rt-pro', 'pt-BR'), 'u3-rt-pro')
})

test('a live model is asked for a language as it knows it, or to detect it if none is set', () => {
  assert.deepEqual(liveLanguage('universal-streaming-english', undefined), {})
  assert.deepEqual(liveLanguage('universal-streaming-multilingual', 'pt-BR'), {})
  assert.deepEqual(liveLanguage('universal-streaming-multilingual', undefined), { language_detection: true })
  assert.deepEqual(liveLanguage('whisper-rt', 'ja'), { language_code: 'ja' })
  assert.deepEqual(liveLanguage('u3-rt-pro', 'pt-BR'), { language_codes: '["pt"]' })
})

test('a model that only listens live leaves recordings to one that takes them', () => {
  for (const live of ['universal', 'universal-streaming', 'universal-streaming-english', 'whisper-rt'])
    assert.deepEqual(recordedModels(live), ['universal-2'])
  for (const live of ['u3-rt-pro', 'u3-pro', 'universal-3-6-pro'])
    assert.deepEqual(recordedModels(live), ['universal-3-5-pro', 'universal-2'])
  assert.deepEqual(recordedModels('universal-3-5-pro'), ['universal-3-5-pro'])
})

test('either host of a region is the address of both', () => {
  assert.equal(hostOf({}, 'streaming'), 'https://streaming.assemblyai.com')
  const european = { base_url: 'https://api.eu.assemblyai.com' }
  assert.equal(hostOf(european, 'streaming'), 'https://streaming.eu.assemblyai.com')
  assert.equal(hostOf({ base_url: 'https://api.example.com' }, 'streaming'), 'https://api.example.com')
})

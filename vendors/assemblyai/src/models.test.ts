import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostOf } from './hosts.ts'
import { liveModel, recordedModel } from './models.ts'

test('the live product is its English model, or its multilingual one for any other language', () => {
  const models = [undefined, 'en', 'en-GB', 'pt-BR'].map((language) =>
    liveModel('universal-streaming', language),
  )
  const english = 'universal-streaming-english'
  assert.deepEqual(models, [english, english, english, 'universal-streaming-multilingual'])
  assert.equal(liveModel('u3-rt-pro', 'pt-BR'), 'u3-rt-pro')
})

test('a model that only listens live leaves recordings to one that takes them', () => {
  for (const live of [
    'universal',
    'universal-streaming',
    'universal-streaming-english',
    'u3-rt-pro',
    'whisper-rt',
  ])
    assert.equal(recordedModel(live), 'universal-2')
  assert.equal(recordedModel('universal-3-pro'), 'universal-3-pro')
})

test('either host of a region is the address of both', () => {
  assert.equal(hostOf({}, 'streaming'), 'https://streaming.assemblyai.com')
  const european = { base_url: 'https://api.eu.assemblyai.com' }
  assert.equal(hostOf(european, 'streaming'), 'https://streaming.eu.assemblyai.com')
  assert.equal(hostOf({ base_url: 'https://api.example.com' }, 'streaming'), 'https://api.example.com')
})

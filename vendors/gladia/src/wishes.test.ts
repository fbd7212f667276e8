import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languageWish, liveModel } from './wishes.ts'

test('a model that takes only recordings leaves live audio to the one that listens', () => {
  const models = ['solaria-1', 'solaria-3', 'solaria-fusion'].map((model) => liveModel({ model }))
  assert.deepEqual(models, ['solaria-1', 'solaria-1', 'solaria-1'])
})

test('the language is detected if none is set: the vendor does so unless it is given one', () => {
  assert.deepEqual(languageWish({}), {})
  assert.deepEqual(languageWish({ languages: 'pt-BR' }), { language_config: { languages: ['pt'] } })
})

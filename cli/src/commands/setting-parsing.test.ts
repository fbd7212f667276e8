import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changed } from './setting-parsing.ts'

test('settings are written as words, of the type that their knob has', () => {
  const words = [
    'voice=007',
    'temperature=0.5',
    'record=true',
    'llm_options={"a":1}',
    'memory.remember=["x"]',
  ]
  assert.deepEqual(changed({ language: 'en' }, words), {
    language: 'en',
    voice: '007',
    temperature: 0.5,
    record: true,
    llm_options: { a: 1 },
    memory: { remember: ['x'] },
  })
  assert.deepEqual(changed({ greeting: { say: 'Hi' }, record: true }, ['greeting.say=', 'record=']), {})
})

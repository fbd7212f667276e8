import assert from 'node:assert/strict'
import { test } from 'node:test'
import { voicesInRow } from './row-voices.ts'

test("a voice of the row may be an id alone: what is not said is null, its name the id, its language its list's (SD-47, SD-61)", () => {
  const voices = { throat: { en: ['ann', { id: 'ben', name: 'Ben', language: 'en-GB', gender: 'male' }] } }
  const unknown = { description: null, gender: null, country: null, accent: null }
  assert.deepEqual(voicesInRow({ voices }, 'throat'), [
    { ...unknown, id: 'ann', name: 'ann', language: 'en' },
    { ...unknown, id: 'ben', name: 'Ben', language: 'en-GB', gender: 'male' },
  ])
  assert.deepEqual(voicesInRow({ voices }, 'gone'), [])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wordsAcross } from './word-times.ts'

test('words share the time of their segment by their letters', () => {
  assert.deepEqual(wordsAcross('I would  go.', 2, 3), [
    { word: 'I', start: 2, end: 2.111 },
    { word: 'would', start: 2.111, end: 2.667 },
    { word: 'go.', start: 2.667, end: 3 },
  ])
  assert.deepEqual(wordsAcross('', 2, 3), [])
})

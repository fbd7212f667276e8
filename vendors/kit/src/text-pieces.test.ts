import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textPieces } from './text-pieces.ts'

test('a text that is short enough is one piece', () => {
  assert.deepEqual(textPieces(' Hello there. ', 12), ['Hello there.'])
})

test('a longer one is cut after its sentences', () => {
  assert.deepEqual(textPieces('One here. Two here! Three?', 20), ['One here. Two here!', 'Three?'])
  assert.deepEqual(textPieces('これは一つ。これは二つ。', 8), ['これは一つ。', 'これは二つ。'])
})

test('a sentence that is too long is cut between its words, and a word in no character', () => {
  assert.deepEqual(textPieces('alpha beta gamma', 11), ['alpha beta', 'gamma'])
  assert.deepEqual(textPieces('😀😀😀', 3), ['😀', '😀', '😀'])
})

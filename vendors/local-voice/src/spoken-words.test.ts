import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SpokenWords } from './spoken-words.ts'

test('a word lasts until the next begins, or until the voice rests', () => {
  const words = new SpokenWords('Hello there, friend', 10)
  assert.deepEqual(words.reach(0, 0, 0), [])
  assert.deepEqual(words.reach(6, 0.3, 0.3), [{ word: 'Hello', start: 10, end: 10.3 }])
  assert.deepEqual(words.reach(13, 0.9, 0.7), [{ word: 'there,', start: 10.3, end: 10.7 }])
  assert.deepEqual(words.end(1.5), [{ word: 'friend', start: 10.9, end: 11.5 }])
})

test('a word that is announced several times is one word', () => {
  const words = new SpokenWords('costs $20 now', 0)
  assert.equal(words.reach(6, 0.4, 0.4).length, 1)
  for (const place of [7, 7, 8]) assert.deepEqual(words.reach(place, 0.6, 0.6), [])
  assert.deepEqual(words.reach(10, 1, 1), [{ word: '$20', start: 0.4, end: 1 }])
})

test('words that are announced as one share its time by their letters', () => {
  const words = new SpokenWords('of the end', 0)
  words.reach(0, 0, 0)
  assert.deepEqual(words.reach(7, 0.5, 0.5), [
    { word: 'of', start: 0, end: 0.2 },
    { word: 'the', start: 0.2, end: 0.5 },
  ])
})

test('places count characters, not halves of them', () => {
  const words = new SpokenWords('😀😀 two', 0)
  assert.deepEqual(words.reach(1, 0.1, 0.1), [])
  assert.equal(words.reach(3, 0.5, 0.5)[0]?.word, '😀😀')
})

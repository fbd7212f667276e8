import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WordTimes } from './word-times.ts'

type Timed = [text: string, start: number, end: number]

function timed(text: string, marks: Timed[]): Timed[] {
  const words = new WordTimes(text)
  const said = marks.flatMap(([part, start, end]) => [...words.say({ text: part, start, end })])
  return [...said, ...words.rest()].flatMap((word): Timed[] =>
    word.type === 'word' ? [[word.word, word.start, word.end]] : [],
  )
}

test('characters are joined into words, each over with its last letter (SD-72)', () => {
  const words = new WordTimes('Hi, you')
  const after = Array.from('Hi, you', (text, at) => [...words.say({ text, start: at, end: at + 1 })].length)
  assert.deepEqual(after, [0, 1, 0, 0, 0, 0, 1])
  assert.deepEqual(
    timed(
      'Hi, you',
      Array.from('Hi, you', (text, at): Timed => [text, at, at + 1]),
    ),
    [
      ['Hi,', 0, 2],
      ['you', 4, 7],
    ],
  )
})

test('words come as they were written, whatever punctuation a vendor drops (SD-72)', () => {
  assert.deepEqual(
    timed('“Well — yes,” she  said.', [
      ['Well', 0, 0.3],
      ['yes', 0.5, 0.8],
      ['she', 0.9, 1],
      ['said', 1, 1.4],
    ]),
    [
      ['“Well', 0, 0.3],
      ['—', 0.3, 0.3],
      ['yes,”', 0.5, 0.8],
      ['she', 0.9, 1],
      ['said.', 1, 1.4],
    ],
  )
})

test('words that a vendor says as one have one time', () => {
  assert.deepEqual(
    timed('to day we', [
      ['today', 0, 0.5],
      ['we', 0.5, 0.7],
    ]),
    [
      ['to', 0, 0.5],
      ['day', 0.5, 0.5],
      ['we', 0.5, 0.7],
    ],
  )
})

test('words without a time end with the sound, and no word has a time if none was given (SD-72)', () => {
  assert.deepEqual(timed('one two three', [['one', 0, 0.4]]), [
    ['one', 0, 0.4],
    ['two', 0.4, 0.4],
    ['three', 0.4, 0.4],
  ])
  assert.deepEqual(timed('one two three', []), [])
})

test('times never run backwards, and more than was written is not said', () => {
  assert.deepEqual(
    timed('one two', [
      ['one', 0.5, 0.9],
      ['two', 0.2, 0.3],
      ['three', 1, 2],
    ]),
    [
      ['one', 0.5, 0.9],
      ['two', 0.9, 0.9],
    ],
  )
})

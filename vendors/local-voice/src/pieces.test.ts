import assert from 'node:assert/strict'
import { test } from 'node:test'
import { piecesOf } from './pieces.ts'

const textsOf = (text: string) => [...piecesOf(text)].map((piece) => piece.text)

test('a text is cut after its sentences, with a rest between them and none at the end', () => {
  const text = 'Hello there, my friend. Is it fine? “Yes!” Well then…  Goodbye.'
  assert.deepEqual(
    [...piecesOf(text)].map((piece) => [piece.text, piece.restMs]),
    [
      ['Hello there, my friend.', 320],
      [' Is it fine?', 320],
      [' “Yes!”', 320],
      [' Well then…', 320],
      ['  Goodbye.', 0],
    ],
  )
})

test('an abbreviation and a number are no end of a sentence', () => {
  for (const text of [
    'Dr. Smith met Mr. Jones at St. Paul.',
    'It costs 3.50 now',
    'See e.g. the J. R. Ewing file',
  ])
    assert.deepEqual(textsOf(text), [text])
})

test('paragraphs, and sentences of scripts without spaces, are cut too', () => {
  assert.deepEqual(
    [...piecesOf('One\n\nTwo')].map(({ restMs }) => restMs),
    [520, 0],
  )
  assert.deepEqual(textsOf('你好。世界！'), ['你好。', '世界！'])
})

test('a long sentence is cut at a clause, else between words, else between characters', () => {
  const clauses = textsOf(`${'many words '.repeat(9)}here, ${'and more words '.repeat(9)}`)
  assert.ok(clauses[0]?.endsWith('here,'))
  for (const text of ['word '.repeat(200), '😀'.repeat(300), `x${'😀'.repeat(300)}`, '你好'.repeat(300)]) {
    const pieces = textsOf(text)
    assert.equal(pieces.join(''), text.trimEnd() === text ? text : pieces.join(''))
    for (const piece of pieces) assert.ok(piece.length <= 121 && piece.isWellFormed(), piece)
  }
})

test('the pieces are the whole text, but for white space', () => {
  const text = ' A text, with; much – in it. And “more”!\n\n\nThe end…\n'
  assert.equal(textsOf(text).join('').replaceAll(/\s/gu, ''), text.replaceAll(/\s/gu, ''))
  assert.deepEqual(textsOf(' \n '), [])
  assert.deepEqual(textsOf(''), [])
})

test('a very long text is cut as it is spoken, not all at once', () => {
  const startedAt = performance.now()
  const [first] = piecesOf('word '.repeat(1_000_000))
  assert.ok(first && performance.now() - startedAt < 200)
})

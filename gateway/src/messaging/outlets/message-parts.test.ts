import assert from 'node:assert/strict'
import { test } from 'node:test'
import { partsOf } from './message-parts.ts'

const word = (length: number, letter = 'a') => letter.repeat(length)

test('what fits into one message is one, and of a blank turn nothing is left (ND-83)', () => {
  assert.deepEqual(partsOf('Hello there.'), ['Hello there.'])
  assert.deepEqual(partsOf(word(4096)), [word(4096)])
  assert.deepEqual(partsOf('  \n '), [])
})

test('a longer text is cut at the last white space that fits, and nothing but that is lost (ND-83)', () => {
  const long = `${word(4000)} ${word(90, 'b')}\n\n${word(50, 'c')} ${word(4090, 'd')}`
  assert.deepEqual(partsOf(long), [`${word(4000)} ${word(90, 'b')}`, word(50, 'c'), word(4090, 'd')])
  assert.deepEqual(partsOf(`${word(4096)} ${word(10, 'b')}`), [word(4096), word(10, 'b')])
})

test('a text without white space is cut as well, but never inside a character (ND-83)', () => {
  assert.deepEqual(partsOf(word(9000)), [word(4096), word(4096), word(808)])
  const smiles = partsOf(`a${'😀'.repeat(4000)}`)
  assert.equal(smiles.join(''), `a${'😀'.repeat(4000)}`)
  assert.deepEqual(
    smiles.map((part) => part.isWellFormed() && part.length <= 4096),
    [true, true],
  )
})

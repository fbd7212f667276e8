import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readLexicon } from './lexicon-shape.ts'

const sql = { word: 'SQL', spoken: 'sequel' }
const refuses = (sent: Record<string, unknown>, message: string) =>
  assert.throws(() => readLexicon(sent), { status: 400, message })

test('a half left out is empty, and every word is kept trimmed (SD-42)', () => {
  assert.deepEqual(readLexicon({}), { said: [], heard: [] })
  assert.deepEqual(readLexicon({ heard: [] }), { said: [], heard: [] })
  assert.deepEqual(readLexicon({ said: [{ word: ' SQL\n', spoken: '\tse quel ' }], heard: [' Nguyễn '] }), {
    said: [{ word: 'SQL', spoken: 'se quel' }],
    heard: ['Nguyễn'],
  })
})

test('a blank word is refused by its place (S-239, SD-42)', () => {
  refuses({ said: [sql, { word: ' ', spoken: 'x' }] }, '`said[1].word` is blank')
  refuses({ said: [{ word: 'x', spoken: '' }] }, '`said[0].spoken` is blank')
  refuses({ heard: ['a', '\u00a0\n'] }, '`heard[1]` is blank')
})

test('other members and wrong types are refused (SD-42)', () => {
  refuses({ spoken: [] }, 'a lexicon has said and heard, and no spoken')
  refuses({ said: null }, '`said` is a list')
  refuses({ heard: 'SQL' }, '`heard` is a list')
  for (const entry of ['SQL', null, ['SQL', 'sequel']])
    refuses({ said: [entry] }, '`said[0]` is an object of word and spoken')
  refuses({ said: [{ ...sql, ipa: 'x' }] }, '`said[0]` has word and spoken, and no ipa')
  refuses({ said: [{ word: 'SQL' }] }, '`said[0].spoken` is a string')
  refuses({ said: [{ word: 1, spoken: 'one' }] }, '`said[0].word` is a string')
  refuses({ heard: [null] }, '`heard[0]` is a string')
})

test('one word is listed once: among the said ones whatever its case, among the heard ones as it is written (SD-42)', () => {
  refuses({ said: [sql, { word: ' sql', spoken: 'ess' }] }, '`said` has sql twice')
  refuses(
    { said: ['New York', 'new  york'].map((word) => ({ word, spoken: 'x' })) },
    '`said` has new  york twice',
  )
  assert.equal(
    readLexicon({ said: ['Maße', 'Masse'].map((word) => ({ word, spoken: word })) }).said.length,
    2,
  )
  refuses({ heard: ['SQL', 'SQL '] }, '`heard` has SQL twice')
  assert.deepEqual(readLexicon({ said: [sql], heard: ['SQL', 'sql'] }), {
    said: [sql],
    heard: ['SQL', 'sql'],
  })
})

test('a half has at most 500 entries, each at most 100 characters (SD-42)', () => {
  const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`)
  assert.equal(readLexicon({ heard: words(500) }).heard.length, 500)
  refuses({ heard: words(501) }, '`heard` has at most 500 entries')
  refuses({ said: words(501).map((word) => ({ word, spoken: word })) }, '`said` has at most 500 entries')
  assert.equal(readLexicon({ heard: [` ${'🎧'.repeat(100)} `] }).heard.length, 1)
  refuses({ heard: ['x'.repeat(101)] }, '`heard[0]` is at most 100 characters')
  refuses({ said: [{ word: 'x'.repeat(101), spoken: 'x' }] }, '`said[0].word` is at most 100 characters')
  refuses({ said: [{ word: 'x', spoken: 'x'.repeat(101) }] }, '`said[0].spoken` is at most 100 characters')
})

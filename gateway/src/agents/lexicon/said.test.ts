import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spokenWith } from './said.ts'

const sayer = (words: Record<string, string>) =>
  spokenWith(Object.entries(words).map(([word, spoken]) => ({ word, spoken })))

test('the voice says the spoken form in place of a word, whatever its case (S-102, SD-42)', () => {
  const say = sayer({ SQL: 'sequel', Nguyễn: 'win', straße: 'shtrasse', ΟΔΟΣ: 'odos' })
  assert.equal(say('SQL, sql and Sql.'), 'sequel, sequel and sequel.')
  assert.equal(say('NGUYỄN at STRASSE, Straẞe and οδος'), 'win at STRASSE, shtrasse and odos')
  assert.equal(say('nothing of it'), 'nothing of it')
  assert.equal(sayer({})('SQL'), 'SQL')
})

test('only whole words are replaced, in any script that has them (SD-42)', () => {
  const say = sayer({ cat: 'feline', мир: 'meer', été: 'summer', नमक: 'salt', a: 'ay' })
  assert.equal(
    say('cat, concat cats cat_1 cat2 (cat) cat-like'),
    'feline, concat cats cat_1 cat2 (feline) feline-like',
  )
  assert.equal(say('мир мира, été étés'), 'meer мира, summer étés')
  assert.equal(say('नमक नमकीन'), 'salt नमकीन')
  assert.equal(say('a\u0301 a'), 'á ay', 'a mark belongs to its letter')
})

test('a word keeps its possessive, and one with signs in it is found as it is written (SD-42)', () => {
  const say = sayer({ SQL: 'sequel', 'C++': 'see plus plus', '.NET': 'dot net', 'AT&T': 'a t and t' })
  assert.equal(say("SQL's, C++, C++17, AT&T"), "sequel's, see plus plus, C++17, a t and t")
  assert.equal(say('.NET and ASP.NET'), 'dot net and ASP.NET')
})

test('if a script writes no spaces, a word is found inside the line (SD-42)', () => {
  const say = sayer({ 北京: 'Běijīng', SQL: 'sequel', กรุงเทพ: 'Krung Thep' })
  assert.equal(say('我在北京住。このSQLは'), '我在Běijīng住。このsequelは')
  assert.equal(say('ผมอยู่กรุงเทพครับ'), 'ผมอยู่Krung Thepครับ')
})

test('of words that begin at one place the longest is said (SD-42)', () => {
  const say = sayer({ New: 'neu', 'New York': 'the city', 'New York Times': 'the paper' })
  assert.equal(say('New York Times of New  York, New\nYork, new'), 'the paper of the city, the city, neu')
})

test('a replacement is not replaced again, and is said as it was given', () => {
  assert.equal(sayer({ one: 'two', two: 'three' })('one two'), 'two three')
  assert.equal(sayer({ price: '$& $1 \\1' })('price'), '$& $1 \\1')
})

test('a letter and its mark are one letter, however they were sent (SD-42)', () => {
  assert.equal(sayer({ 'cafe\u0301': 'coffee' })('Café'), 'coffee')
  assert.equal(sayer({ café: 'coffee' })('CAFE\u0301'), 'coffee')
})

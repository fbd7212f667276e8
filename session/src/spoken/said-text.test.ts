import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sayingWith } from './said-text.ts'

const saying = sayingWith([
  { word: 'SQL', spoken: 'sequel' },
  { word: 'New York', spoken: 'the big apple' },
  { word: 'York', spoken: 'yorrk' },
  { word: 'C++', spoken: 'see plus plus' },
])

test('words of the lexicon are said as it says, whole words alone and the longest first', () => {
  assert.equal(saying('SQL, sql and mysql in New York').text, 'sequel, sequel and mysql in the big apple')
  assert.equal(saying('York knows C++.').text, 'yorrk knows see plus plus.')
})

test('marks for the eye are not said', () => {
  assert.equal(saying('## **Yes** 👍 `now`').text, 'Yes  now')
  assert.equal(saying('2 - 1 = 1, snake_case').text, '2 - 1 = 1, snake_case')
})

test('a position in the spoken text gives how far the written text is read', () => {
  const { text, reaches } = saying('In New York we use SQL daily')
  assert.equal(text, 'In the big apple we use sequel daily')
  assert.equal(reaches(2), 2)
  assert.equal(reaches(text.indexOf('apple')), 'In '.length)
  assert.equal(reaches('In the big apple'.length), 'In New York'.length)
  assert.equal(reaches(text.length), 'In New York we use SQL daily'.length)
})

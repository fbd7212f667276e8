import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Talk } from '../../testing/talk.ts'
import { queryIn, wordingOf } from './queries.ts'

const query = (build: (talk: Talk) => Talk) => queryIn(build(new Talk()).entries)
const says = (talk: Talk, text: string) => talk.add('agent.message', { text, source: 'model' })

test('a turn is looked up by its own words; fewer than six are looked up with those of the turn before', () => {
  const rooms = 'What does a double room with breakfast cost?'
  assert.equal(
    query((talk) => talk.hears(rooms)),
    rooms,
  )
  assert.equal(
    query((talk) => says(talk.hears(rooms), 'It is 120 euros.').hears('And on Sunday?')),
    `${rooms}\nAnd on Sunday?`,
  )
  const parking = 'Is there any place to park a car?'
  assert.equal(
    query((talk) => says(talk.hears(rooms), 'Yes.').hears(parking)),
    parking,
  )
  assert.equal(
    query((talk) => says(says(talk.hears(rooms), 'Yes.').hears('And breakfast?'), 'Yes.').hears('Why?')),
    'And breakfast?\nWhy?',
  )
})

test('words are counted in languages that write none apart, and in those that do', () => {
  const long = 'ダブルルームの朝食付きの料金はいくらですか'
  assert.equal(
    query((talk) => says(talk.hears('駐車場はありますか'), 'はい').hears(long)),
    long,
  )
  assert.equal(
    query((talk) => says(talk.hears(long), 'はい').hears('日曜日は？')),
    `${long}\n日曜日は？`,
  )
  const bulgarian = 'Колко струва стая с две легла?'
  assert.equal(
    query((talk) => says(talk.hears(bulgarian), 'Да.').hears('А в неделя?')),
    `${bulgarian}\nА в неделя?`,
  )
})

test('what was said in several messages since the agent spoke is one turn, whatever is said while a tool runs', () => {
  const text = query((talk) =>
    talk
      .hears('Hello')
      .add('agent.message', { text: 'One moment.', source: 'say', meanwhile: true })
      .hears('what does a double room cost please'),
  )
  assert.equal(text, 'Hello\nwhat does a double room cost please')
})

test('nothing is looked up before anybody has said anything, and of long words only the end', () => {
  assert.equal(
    query((talk) => says(talk, 'Hello.')),
    '',
  )
  assert.equal(
    query((talk) => talk.hears('  ')),
    '',
  )
  const long = query((talk) => talk.hears(`${'word '.repeat(400)}end`))
  assert.ok(long.length <= 1000 && long.endsWith('word end'))
})

test('the same words are the same however a transcriber writes them', () => {
  assert.equal(wordingOf('So, what’s a Room?'), wordingOf('so what’s a room'))
  assert.notEqual(wordingOf('a room'), wordingOf('a room on Sunday'))
})

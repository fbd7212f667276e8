import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sayingWith } from './said-text.ts'
import { WordClock } from './word-clock.ts'

const asWritten = sayingWith([])

function clockOf(text: string, audioMs: number, saying = asWritten) {
  const clock = new WordClock()
  clock.begin(text, saying(text))
  clock.addAudio(audioMs)
  return clock
}

test('words are heard when the voice says they are', () => {
  const clock = clockOf('Sure, at eight.', 900)
  for (const nth of [0, 1, 2]) clock.place(nth, nth * 300)
  clock.finish()
  assert.deepEqual([...clock.heardUntil(1)], ['Sure,'])
  assert.equal(clock.nextMs, 300)
  assert.deepEqual([...clock.heardUntil(500)], ['at'])
  assert.equal(clock.heard, 'Sure, at')
  assert.equal(clock.unheard, ' eight.')
  assert.deepEqual([...clock.heardUntil(Infinity)], ['eight.'])
})

test('words of a voice that gives no times are spread over its audio', () => {
  const clock = clockOf('aaaa bbbb cccc dddd ', 2_000)
  clock.finish()
  assert.deepEqual([...clock.heardUntil(999)], ['aaaa', 'bbbb'])
  assert.deepEqual([...clock.heardUntil(1_001)], ['cccc'])
})

test('a word that is said in several is heard with the first of them', () => {
  const saying = sayingWith([{ word: 'SQL', spoken: 'sequel as in film' }])
  const clock = clockOf('Your SQL course', 600, saying)
  for (const nth of [0, 1, 2, 3, 4, 5]) clock.place(nth, nth * 100)
  assert.deepEqual([...clock.heardUntil(101)], ['Your', 'SQL'])
  assert.deepEqual([...clock.heardUntil(500)], [])
  assert.deepEqual([...clock.heardUntil(501)], ['course'])
})

test('a piece that broke off gives back what was not begun, and the next one continues after it', () => {
  const clock = clockOf('One two three four', 200)
  for (const nth of [0, 1, 2]) clock.place(nth, nth * 100)
  const rest = clock.cut()
  assert.equal(rest, 'three four')
  clock.begin(rest, asWritten(rest))
  clock.addAudio(200)
  clock.finish()
  assert.deepEqual([...clock.heardUntil(Infinity)], ['One', 'two', 'three', 'four'])
  assert.equal(clock.text, 'One two three four')
})

test('nothing is heard before it is made', () => {
  const clock = clockOf('One two', 0)
  assert.deepEqual([...clock.heardUntil(Infinity)], [])
  assert.equal(clock.heard, '')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Spoken } from '@switchroom/kit/vendor'
import { TimedWords, type Timed } from './timed-words.ts'

const sampleRate = 16_000
const audio = (seconds: number): Spoken => ({ type: 'audio', pcm: new Uint8Array(2 * sampleRate * seconds) })
const word = (text: string, start: number, end: number): Spoken => ({ type: 'word', word: text, start, end })

function told(text: string, spoken: Spoken[]): Timed[] {
  const words = new TimedWords(text, sampleRate)
  return [...spoken.flatMap((piece) => [...words.take(piece)]), ...words.end()]
}

/** The times in order; `|` is a tenth of a second of sound. */
const shown = (timed: Timed[]) =>
  timed.map((piece) => (piece.type === 'audio' ? '|' : `${piece.word}@${piece.start}-${piece.end}`)).join(' ')

function assertInPlace(timed: Timed[]) {
  let seconds = 0
  let last = 0
  for (const piece of timed) {
    if (piece.type === 'audio') last = Math.max(last, (seconds += piece.pcm.length / 2 / sampleRate))
    else
      assert.ok(piece.end >= seconds - 0.1 - 1e-9, `${piece.word} ends at ${piece.end}, sent at ${seconds}`)
  }
}

const tenths = (count: number) => Array.from({ length: count }, () => audio(0.1))

test("a vendor's word comes with the sound it begins in, however early the vendor sends it (S-404, ST-097, SD-72)", () => {
  const timed = told('one two', [word('one', 0, 0.15), word('two', 0.25, 0.4), ...tenths(4)])
  assert.equal(shown(timed), 'one@0-0.15 | | two@0.25-0.4 | |')
})

test('sound waits for a word that comes late, the first sound never (ST-097, SD-72)', () => {
  const spoken = [...tenths(4), word('one', 0, 0.15), ...tenths(2), word('two', 0.25, 0.4)]
  const timed = told('one two', spoken)
  assert.equal(shown(timed), '| one@0-0.15 | two@0.25-0.4 | | | |')
  assertInPlace(timed)
  const words = new TimedWords('one two', sampleRate)
  assert.equal([...words.take(audio(0.1))].length, 1)
  assert.equal([...words.take(audio(0.1))].length, 0)
})

test('without a time from the vendor fifteen characters are a second, and never past the end of the sound (S-404, SD-72)', () => {
  const text = 'twelve chars and then some words more'
  const timed = told(text, tenths(20))
  const times = timed.flatMap((piece) =>
    piece.type === 'word' ? [[piece.word, piece.start, piece.end]] : [],
  )
  assert.deepEqual(times, [
    ['twelve', 0, 0.4],
    ['chars', 0.467, 0.8],
    ['and', 0.867, 1.067],
    ['then', 1.133, 1.4],
    ['some', 1.467, 1.733],
    ['words', 1.8, 2],
    ['more', 2, 2],
  ])
  assertInPlace(timed)
  assert.equal(timed.filter(({ type }) => type === 'audio').length, 20)
  assert.ok(
    timed.findIndex(({ type }) => type === 'word') < timed.findLastIndex(({ type }) => type === 'audio'),
  )
})

test('each white-space separated word is sent once, whatever the vendor says of it (SD-72)', () => {
  const spokenOf = (timed: Timed[]) => timed.flatMap((piece) => (piece.type === 'word' ? [piece.word] : []))
  const text = ' «Hola»,\tmundo — 😀 '.replaceAll('\\\t', '\t')
  const wanted = text.trim().split(/\s+/)
  const few = [word('x', 0, 0.1), ...tenths(3)]
  const many = [...Array.from({ length: 9 }, (_, at) => word('x', at / 10, at / 10)), ...tenths(3)]
  for (const spoken of [few, many, tenths(3), []]) assert.deepEqual(spokenOf(told(text, spoken)), wanted)
})

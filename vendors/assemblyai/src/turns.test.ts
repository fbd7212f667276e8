import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hearing } from './turns.ts'

const turn = (change: object) => ({
  type: 'Turn',
  end_of_turn: false,
  turn_is_formatted: false,
  transcript: '',
  words: [],
  ...change,
})

/** What is heard of these messages, one after the other. */
function heardOf(messages: object[], isFormatted = false) {
  const hear = hearing(isFormatted)
  return messages.flatMap((message) => [...hear(JSON.stringify(message))])
}

const hi = { text: 'hi', start: 100, end: 300, speaker: 'UNKNOWN' }
const heardHi = { start: 0.1, end: 0.3, words: [{ word: 'hi', start: 0.1, end: 0.3 }] }
const started = { type: 'turn', state: 'started' }
const ended = { type: 'turn', state: 'ended' }

test('a turn that ends twice, heard and then written, ends once', () => {
  const heard = heardOf(
    [
      turn({ words: [hi] }),
      turn({ words: [hi], transcript: 'hi', end_of_turn: true }),
      turn({ words: [hi], transcript: 'Hi.', end_of_turn: true, turn_is_formatted: true }),
    ],
    true,
  )
  const partial = { type: 'partial', text: 'hi' }
  assert.deepEqual(heard, [started, partial, partial, { type: 'final', text: 'Hi.', ...heardHi }, ended])
})

test('speech that is noticed before its words starts the turn, once', () => {
  const heard = heardOf([{ type: 'SpeechStarted', timestamp: 90 }, turn({ words: [hi] })])
  assert.deepEqual(heard, [started, { type: 'partial', text: 'hi' }])
})

test('what is still open when all is over is committed (SD-77, ST-103)', () => {
  const there = { text: 'there', start: 300, end: 500 }
  const open = turn({ words: [hi, there], transcript: 'hi' })
  const words = [...heardHi.words, { word: 'there', start: 0.3, end: 0.5 }]
  const final = { type: 'final', text: 'hi there', start: 0.1, end: 0.5, words }
  assert.deepEqual(heardOf([open, { type: 'Termination' }]).slice(2), [final, ended, 'finished'])
})

test('a turn without words is nothing heard (SD-77)', () => {
  assert.deepEqual(heardOf([turn({ end_of_turn: true }), { type: 'Termination' }]), ['finished'])
})

test('speakers are numbered as they appear, and one it cannot name has no number', () => {
  const of = (label: string) => turn({ transcript: 'hi', end_of_turn: true, speaker_label: label })
  const heard = heardOf([of('B'), of('A'), of('B'), of('UNKNOWN')])
  const finals = heard.filter((each) => each !== 'finished' && each.type === 'final')
  assert.deepEqual(
    finals.map((final) => 'speaker' in final && final.speaker),
    [0, 1, 0, false],
  )
})

test('an error of its server is no answer, any other is a refusal (SD-26)', () => {
  const error = (error_code?: number) => () => heardOf([{ type: 'Error', error: 'why', error_code }])
  assert.throws(error(3005), { kind: 'silent', message: 'why' })
  for (const code of [1008, 3006, 3009, 4001, undefined])
    assert.throws(error(code), { kind: 'refused', message: 'why' })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '@switchroom/contract/log'
import { silencesOf, spokenTurnsOf, turnAt, wordsOf } from './speech-times.ts'

/** Entries at these seconds. */
const logOf = (...rows: [ts: number, type: string, data?: object][]): Entry[] =>
  rows.map(([ts, type, data = {}], at) => ({
    seq: at + 1,
    ts: 1000 + ts,
    call: 'call_1',
    agent: 'desk',
    type,
    ephemeral: false,
    data: { ...data },
  }))
const unknown = { duration_ms: 20_000, caller: null, agent: null }
const rounded = (entries: Entry[], waveform: Parameters<typeof spokenTurnsOf>[1] = unknown) =>
  spokenTurnsOf(entries, waveform).map(({ text, fromS, toS }) => [text, +fromS.toFixed(2), +toS.toFixed(2)])

test('a turn of the agent is where it was played, for as long as it was, also when it was interrupted', () => {
  const log = logOf(
    [0, 'call.started'],
    [1, 'recording.started', { atMs: 0 }],
    [2, 'bot.speaking', { messageId: 'a' }],
    [4.5, 'bot.finished', { messageId: 'a', durationMs: 2500 }],
    [4.5, 'agent.message', { messageId: 'a', text: 'Good morning.' }],
    [6, 'bot.speaking', { messageId: 'b' }],
    [7, 'bot.interrupted', { messageId: 'b', playedMs: 900 }],
    [7, 'agent.message', { messageId: 'b', text: 'We are open' }],
  )
  assert.deepEqual(rounded(log), [
    ['Good morning.', 1, 3.5],
    ['We are open', 5, 5.9],
  ])
})

test('a turn of the caller ends before the waits that its answer counts, and begins where they became loud', () => {
  const log = logOf(
    [0, 'recording.started', { atMs: 0 }],
    [10, 'user.message', { text: 'A table for two.' }],
    [11, 'metrics', { stage: 'turn', transcript_ms: 300, turn_end_ms: 800 }],
  )
  // 20 stretches of a second: a word at 2 s, a pause, then the turn from 6 s on, with a short pause in it
  const caller = [0, 0, 90, 0, 0, 0, 90, 90, 0, 90, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  assert.deepEqual(rounded(log, { ...unknown, caller }), [['A table for two.', 6, 9.2]])
  assert.deepEqual(rounded(log), [['A table for two.', 8.06, 9.2]], 'without a waveform by its length')
})

test('a recording that another agent began again, and one of a log without its beginning, still fit', () => {
  const again = logOf(
    [0, 'recording.started', { atMs: 0 }],
    [30, 'recording.started', { atMs: 4000 }],
    [31, 'bot.speaking', { messageId: 'a' }],
    [32, 'bot.finished', { messageId: 'a', durationMs: 1000 }],
    [32, 'agent.message', { messageId: 'a', text: 'Sales.' }],
  )
  assert.deepEqual(rounded(again), [['Sales.', 5, 6]])
  const older = logOf(
    [0, 'call.dialing'],
    [5, 'call.answered'],
    [6, 'bot.speaking', { messageId: 'a' }],
    [7, 'bot.finished', { messageId: 'a', durationMs: 1000 }],
    [7, 'agent.message', { messageId: 'a', text: 'Hello.' }],
  )
  assert.deepEqual(rounded(older), [['Hello.', 1, 2]])
})

test('words follow each other by their length, and of two turns at once the later one is heard', () => {
  const words = wordsOf({ text: 'one three five', fromS: 10, toS: 24 })
  assert.deepEqual(words, [
    { text: 'one ', fromS: 10 },
    { text: 'three ', fromS: 14 },
    { text: 'five', fromS: 20 },
  ])
  const turns = [
    { seq: 1, text: 'a', fromS: 0, toS: 5 },
    { seq: 2, text: 'b', fromS: 4, toS: 6 },
  ]
  assert.deepEqual(
    [1, 4.5, 5.5, 6].map((at) => turnAt(turns, at)?.seq),
    [1, 2, 2, undefined],
  )
})

test('a silence is where neither side says anything for a while', () => {
  const caller = [90, 0, 0, 0, 0, 90, 0, 0]
  const agent = [0, 0, 0, 0, 0, 0, 0, 90]
  assert.deepEqual(silencesOf({ duration_ms: 8000, caller, agent }), [{ fromS: 1.25, toS: 4.75 }])
  assert.deepEqual(silencesOf(unknown), [])
})

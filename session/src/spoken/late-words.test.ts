import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import type { NewEntry } from '@switchroom/contract/log'
import { TurnDetection } from './turn-detection.ts'

test('words that were taken as they were are no turn of their own when the transcribers say them once more', () => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 10_000 })
  try {
    const kept: NewEntry[] = []
    const nothing = () => {}
    const taking = new TurnDetection({
      callId: 'call_1',
      turn: {},
      endOfTurn: 'framework',
      language: null,
      keep: (entries) => kept.push(...entries),
      show: nothing,
      newMessageId: () => 'm1',
      nowMs: () => Date.now(),
      judge: async () => null,
      sureness: 0.36,
      pausing: nothing,
      foreseen: nothing,
      expected: nothing,
      interrupted: nothing,
      isAgentSpeaking: () => false,
      onActivity: nothing,
      nothingSaid: nothing,
      turnEnding: nothing,
      turnEnded: nothing,
    })
    const texts = () => kept.filter(({ type }) => type === 'user.message').map(({ data }) => data['text'])
    taking.speechStarted(60)
    taking.heard({ type: 'partial', text: 'A table' })
    taking.speechEnded(250)
    mock.timers.tick(2_000)
    taking.heard({ type: 'partial', text: 'A table.' })
    mock.timers.tick(10_000)
    assert.deepEqual(texts(), ['A table'])
    taking.speechStarted(60)
    taking.heard({ type: 'partial', text: 'For two' })
    taking.speechEnded(250)
    mock.timers.tick(2_000)
    assert.deepEqual(texts(), ['A table', 'For two'])
  } finally {
    mock.timers.reset()
  }
})

import assert from 'node:assert/strict'
import { afterEach, beforeEach, mock, test } from 'node:test'
import { TurnDetection, type TurnDetectionParts } from './turn-detection.ts'

beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'] }))
afterEach(() => mock.timers.reset())

/** In small steps, so that what happens has its time. */
function wait(ms: number) {
  for (let at = 0; at < ms; at += 10) mock.timers.tick(10)
}

/** What a model may think about, and when a turn ends, in order and with the time. */
function turns(knobs: Partial<TurnDetectionParts> = {}) {
  const happened: string[] = []
  const beganMs = Date.now()
  const note = (what: string) => void happened.push(`${Date.now() - beganMs} ${what}`)
  const turn = new TurnDetection({
    callId: 'call_1',
    turn: {},
    endOfTurn: 'framework',
    language: 'en',
    keep: () => {},
    show: () => {},
    newMessageId: () => 'm1',
    nowMs: () => Date.now(),
    judge: async () => null,
    sureness: 0.36,
    pausing: () => {},
    foreseen: (text) => note(`foreseen ${text}`),
    expected: (text) => note(`expected ${text}`),
    interrupted: () => {},
    isAgentSpeaking: () => false,
    onActivity: () => {},
    nothingSaid: () => {},
    turnEnding: () => {},
    turnEnded: () => note('ended'),
    ...knobs,
  })
  turn.speechStarted(64)
  wait(1_000)
  return { turn, happened }
}

test('a turn whose words are known is expected in the silence before it ends', () => {
  const { turn, happened } = turns()
  turn.heard({ type: 'final', text: 'What time is it?' })
  turn.speechEnded(250)
  wait(1_000)
  assert.deepEqual(happened, ['1000 expected What time is it?', '1250 ended'])
})

test('what is not a whole turn by its words is not expected', () => {
  for (const text of ['A table for', 'My number is 5 5 5', 'Well, um']) {
    const { turn, happened } = turns()
    turn.heard({ type: 'final', text })
    turn.speechEnded(250)
    wait(100)
    assert.deepEqual(happened, [], text)
  }
})

test('a caller who continues is not expected to be done any more, and then with all that they said', () => {
  const { turn, happened } = turns()
  turn.heard({ type: 'final', text: 'A table.' })
  turn.speechEnded(250)
  wait(100)
  turn.speechStarted(64)
  wait(500)
  turn.heard({ type: 'final', text: 'For two.' })
  turn.speechEnded(250)
  wait(1_000)
  assert.deepEqual(happened, [
    '1000 expected A table.',
    '1100 expected null',
    '1600 expected A table. For two.',
    '1850 ended',
  ])
})

test('words that are not settled are expected once they are a sentence that stays the same', () => {
  const { turn, happened } = turns()
  turn.heard({ type: 'partial', text: 'What time' })
  turn.speechEnded(250)
  wait(200)
  turn.heard({ type: 'partial', text: 'What time is it?' })
  wait(50)
  turn.heard({ type: 'partial', text: 'What time is it now?' })
  wait(100)
  turn.heard({ type: 'final', text: 'What time is it now?' })
  wait(1_000)
  assert.deepEqual(happened, ['1350 expected What time is it now?', '1360 ended'])
})

test('unsettled words that change are expected no longer', () => {
  const { turn, happened } = turns()
  turn.heard({ type: 'partial', text: 'What time is it?' })
  turn.speechEnded(250)
  wait(150)
  turn.heard({ type: 'partial', text: 'What time is it in' })
  assert.deepEqual(happened, ['1100 expected What time is it?', '1150 expected null'])
})

test('nothing is expected of transcribers that end turns themselves, nor of a backchannel', () => {
  const byTranscriber = turns({ endOfTurn: 'stt' })
  byTranscriber.turn.heard({ type: 'turn', state: 'started' })
  byTranscriber.turn.heard({ type: 'final', text: 'A table.' })
  byTranscriber.turn.speechEnded(250)
  wait(5_000)
  assert.deepEqual(byTranscriber.happened, [])

  const listening = turns({ isAgentSpeaking: () => true })
  listening.turn.heard({ type: 'final', text: 'Okay.' })
  listening.turn.speechEnded(250)
  wait(5_000)
  assert.deepEqual(listening.happened, ['1000 expected Okay.', '1250 expected null'])
})

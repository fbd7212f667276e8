import assert from 'node:assert/strict'
import { afterEach, beforeEach, mock, test } from 'node:test'
import type { NewEntry } from '@switchroom/contract/log'
import { isBackchannel } from './backchannel.ts'
import { TurnDetection, type TurnDetectionParts } from './turn-detection.ts'

beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 10_000 }))
afterEach(() => mock.timers.reset())

/** A call in which the agent speaks or not, as a test says. */
function call(knobs: Partial<TurnDetectionParts> = {}) {
  const told: NewEntry[] = []
  const happened: string[] = []
  const agent = { isSpeaking: false }
  const taking = new TurnDetection({
    callId: 'call_1',
    turn: {},
    endOfTurn: 'framework',
    language: 'en',
    keep: (entries) => void told.push(...entries),
    show: () => {},
    newMessageId: () => 'm1',
    nowMs: () => Date.now(),
    judge: async () => null,
    sureness: 0.36,
    pausing: () => {},
    foreseen: () => {},
    expected: () => {},
    interrupted: () => void happened.push('interrupted'),
    isAgentSpeaking: () => agent.isSpeaking,
    onActivity: () => {},
    nothingSaid: () => void happened.push('goes on'),
    turnEnding: () => {},
    turnEnded: () => void happened.push('answered'),
    ...knobs,
  })
  const speaks = (ms: number) => {
    taking.speechStarted(60)
    mock.timers.tick(ms)
    taking.speechGoesOn(ms + 60)
  }
  const stops = (text: string) => {
    mock.timers.tick(250)
    taking.speechEnded(250)
    taking.heard({ type: 'final', text })
  }
  return { taking, told, happened, agent, speaks, stops }
}

test('sounds of listening are told from words, in English, Spanish and Portuguese', () => {
  for (const text of [
    'Uh-huh.',
    'Mm-hmm',
    'okay',
    'Yeah, yeah.',
    'sí',
    'Ajá',
    'De acuerdo.',
    'tá bom',
    'Aham',
    'I see.',
  ])
    assert.ok(isBackchannel(text), text)
  for (const text of [
    '',
    'no',
    'wait',
    'Okay, stop.',
    'Yes, a table for two',
    'okay?',
    'it',
    'sí, pero',
    'não',
    'bom dia',
  ])
    assert.ok(!isBackchannel(text), text)
})

test('a caller who says uh-huh while the agent speaks neither interrupts it nor is answered', () => {
  const { taking, told, happened, agent, speaks, stops } = call()
  agent.isSpeaking = true
  taking.speechStarted(60)
  taking.heard({ type: 'partial', text: 'uh-huh' })
  taking.speechGoesOn(700)
  assert.deepEqual(happened, [])
  stops('Uh-huh.')
  mock.timers.tick(5_000)
  assert.deepEqual(happened, ['goes on'])
  assert.deepEqual(told, [{ type: 'user.message', data: { text: 'Uh-huh.', messageId: 'm1' } }])
  speaks(600)
  assert.deepEqual(happened, ['goes on', 'interrupted'], 'a voice whose words are unknown interrupts')
})

test('a caller who says more than uh-huh interrupts', () => {
  const { taking, happened, agent } = call()
  agent.isSpeaking = true
  taking.speechStarted(60)
  taking.heard({ type: 'partial', text: 'okay' })
  taking.speechGoesOn(700)
  taking.heard({ type: 'partial', text: 'okay stop' })
  taking.speechGoesOn(732)
  assert.deepEqual(happened, ['interrupted'])
})

test('an okay is answered once the agent has stopped', () => {
  const { happened, agent, speaks, stops } = call()
  speaks(300)
  stops('Okay.')
  mock.timers.tick(500)
  assert.deepEqual(happened, ['answered'])
  agent.isSpeaking = true
  speaks(300)
  agent.isSpeaking = false // it asked a question, and the caller was quick
  stops('Okay.')
  mock.timers.tick(500)
  assert.deepEqual(happened, ['answered', 'answered'])
})

test('a caller who must speak for a set time interrupts with whatever they say so long (S-073)', () => {
  const { taking, happened, agent } = call({ turn: { min_interruption_ms: 300 } })
  agent.isSpeaking = true
  taking.speechStarted(60)
  taking.heard({ type: 'partial', text: 'okay' })
  taking.speechGoesOn(320)
  assert.deepEqual(happened, ['interrupted'])
})

/** How long a caller waits until their turn is over. */
function waitedMs(happened: string[]): number {
  const before = happened.length
  for (let ms = 250; ; ms += 10) {
    if (happened.length > before) return ms
    mock.timers.tick(10)
  }
}

test('a caller who pauses within what they say is waited for longer, as long as they do', () => {
  const { happened, speaks, stops } = call()
  speaks(500)
  stops('I would like to book')
  assert.ok(waitedMs(happened) <= 520)
  speaks(500)
  stops('and')
  mock.timers.tick(450)
  speaks(500)
  stops('a table for two.')
  const longerMs = waitedMs(happened)
  assert.ok(longerMs > 700 && longerMs <= 920, `${longerMs} ms`)
  for (let turn = 0; turn < 5; turn += 1) {
    speaks(500)
    stops('Yes please.')
    mock.timers.tick(5_000)
  }
  speaks(500)
  stops('Thanks a lot.')
  assert.ok(waitedMs(happened) <= 520, 'they speak without pauses now')
})

test('a caller who continues before they are answered is waited for longer the next time', () => {
  const { taking, happened, speaks, stops } = call()
  speaks(500)
  stops('A table.')
  assert.ok(waitedMs(happened) <= 520)
  mock.timers.tick(160)
  speaks(500)
  taking.continued() // the answer was dropped
  stops('For two.')
  assert.ok(waitedMs(happened) > 700)
})

test('a pause that is set stays as it is, however the caller speaks', () => {
  const { taking, happened, speaks, stops } = call({ turn: { endpointing_ms: 300 } })
  speaks(500)
  stops('A table.')
  waitedMs(happened)
  speaks(500)
  taking.continued()
  stops('For two.')
  assert.ok(waitedMs(happened) <= 320)
})

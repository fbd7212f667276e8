import assert from 'node:assert/strict'
import { afterEach, beforeEach, mock, test } from 'node:test'
import type { NewEntry } from '@switchroom/contract/log'
import { TurnDetection, type TurnDetectionParts } from './turn-detection.ts'

beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'] }))
afterEach(() => mock.timers.reset())

function turns(knobs: Partial<TurnDetectionParts> = {}) {
  const told: NewEntry[] = []
  const happened: string[] = []
  const taking = new TurnDetection({
    callId: 'call_1',
    turn: {},
    endOfTurn: 'framework',
    language: null,
    keep: (entries) => void told.push(...entries),
    show: (entries) => void told.push(...entries),
    newMessageId: () => 'm1',
    nowMs: () => Date.now(),
    judge: async () => null,
    sureness: 0.36,
    pausing: () => {},
    foreseen: (text) => void happened.push(`foreseen: ${text ?? 'null'}`),
    expected: () => {},
    interrupted: () => void happened.push('interrupted'),
    isAgentSpeaking: () => false,
    onActivity: () => {},
    nothingSaid: () => void happened.push('nothing said'),
    turnEnding: () => {},
    turnEnded: () => void happened.push('ended'),
    ...knobs,
  })
  return { taking, told, happened, types: () => told.map(({ type }) => type) }
}

test('transcribers that end turns themselves do, with their early signs (N-410, N-446, N-447, N-448)', () => {
  const { taking, told, types } = turns({
    endOfTurn: 'stt',
    turn: { eot_threshold: 0.8, eager_eot_threshold: 0.4 },
  })
  taking.speechStarted(60)
  taking.heard({ type: 'turn', state: 'started' })
  taking.heard({ type: 'partial', text: 'A table' })
  taking.speechEnded(250)
  taking.heard({ type: 'turn', state: 'eager' })
  taking.heard({ type: 'turn', state: 'resumed' })
  taking.speechStarted(60)
  taking.heard({ type: 'partial', text: 'A table for two' })
  taking.heard({ type: 'final', text: 'A table for two' })
  mock.timers.tick(60_000)
  taking.heard({ type: 'turn', state: 'ended' })
  assert.deepEqual(types(), [
    'speech.started',
    'user.speaking',
    'speech.ended',
    'eager.turn',
    'turn.continued',
    'speech.started',
    'user.speaking',
    'speech.ended',
    'user.message',
    'turn.end',
  ])
  const dataOf = (wanted: string) => told.find(({ type }) => type === wanted)?.data
  assert.deepEqual(dataOf('eager.turn'), { text: 'A table', probability: 0.4 })
  assert.deepEqual(dataOf('turn.end'), { text: 'A table for two', probability: 0.8 })
  assert.equal(dataOf('turn.continued')?.['text'], 'A table')
})

test('a voice that continues after the transcribers ended the turn is speech again', () => {
  const { taking, types, happened } = turns({ endOfTurn: 'stt' })
  taking.speechStarted(60)
  taking.heard({ type: 'turn', state: 'started' })
  taking.heard({ type: 'final', text: 'A table.' })
  taking.speechGoesOn(900)
  happened.length = 0
  taking.heard({ type: 'turn', state: 'ended' })
  taking.speechGoesOn(1_000)
  assert.equal(types().filter((type) => type === 'speech.started').length, 1)
  taking.speechGoesOn(1_250)
  assert.equal(types().filter((type) => type === 'speech.started').length, 2)
  assert.deepEqual(happened, ['ended'])
  taking.speechGoesOn(1_450)
  assert.deepEqual(happened, ['ended', 'interrupted'])
})

test('transcribers that never say when a turn is over are not waited for', () => {
  const { taking, happened } = turns({ endOfTurn: 'stt' })
  taking.speechStarted(60)
  taking.speechEnded(250)
  taking.heard({ type: 'final', text: 'A table.' })
  mock.timers.tick(500)
  assert.deepEqual(happened, ['ended'])
})

test('a turn ends endpointing_ms after the voice, half a second by default', () => {
  for (const [endpointing_ms, waitMs] of [
    [undefined, 250],
    [800, 550],
    [0, 0],
  ] as const) {
    const { taking, happened } = turns({ turn: endpointing_ms === undefined ? {} : { endpointing_ms } })
    mock.timers.tick(10_000)
    taking.speechStarted(60)
    taking.speechEnded(250)
    taking.heard({ type: 'final', text: 'A table.' })
    mock.timers.tick(Math.max(0, waitMs - 1))
    if (waitMs > 0) assert.deepEqual(happened, [])
    mock.timers.tick(1)
    assert.deepEqual(happened, ['ended'])
  }
})

test('words that the transcribers never settle are taken as they are, and not heard twice', () => {
  const { taking, told } = turns()
  mock.timers.tick(10_000)
  taking.speechStarted(60)
  taking.heard({ type: 'partial', text: 'A table' })
  taking.speechEnded(250)
  mock.timers.tick(2_000)
  const texts = () => told.filter(({ type }) => type === 'user.message').map(({ data }) => data['text'])
  assert.deepEqual(texts(), ['A table'])
  taking.heard({ type: 'final', text: 'A table.' })
  mock.timers.tick(10_000)
  assert.deepEqual(texts(), ['A table'])
})

test('transcribers hear what the voice activity missed', () => {
  const { taking, types } = turns()
  mock.timers.tick(10_000)
  taking.heard({ type: 'partial', text: 'A' })
  mock.timers.tick(100)
  taking.heard({ type: 'final', text: 'A table.' })
  assert.deepEqual(types(), ['user.speaking'])
  mock.timers.tick(500)
  assert.deepEqual(types(), ['user.speaking', 'user.message', 'turn.end'])
})

test('a voice that says no word is reported after a while, and not when words come after all', () => {
  const { taking, happened } = turns()
  mock.timers.tick(10_000)
  taking.speechStarted(60)
  taking.speechEnded(250)
  mock.timers.tick(1_999)
  assert.deepEqual(happened, [])
  mock.timers.tick(1)
  assert.deepEqual(happened, ['nothing said'])
  taking.speechStarted(60)
  taking.speechEnded(250)
  taking.heard({ type: 'final', text: 'A table.' })
  mock.timers.tick(10_000)
  assert.deepEqual(happened, ['nothing said', 'ended'])
})

/** What was promised is known. */
const settled = async () => {
  for (let n = 0; n < 5; n += 1) await Promise.resolve()
}

function pauses(probability: number | null, turn: TurnDetectionParts['turn'] = {}) {
  const judge = async () => probability
  const talk = turns({ endOfTurn: 'smart-turn', turn, judge })
  mock.timers.tick(10_000)
  talk.taking.speechStarted(60)
  talk.taking.speechEnded(250)
  talk.taking.heard({ type: 'final', text: 'A table.' })
  return talk
}

test('if a model ends turns, one that it takes for finished ends at once (S-051)', async () => {
  const { told, happened } = pauses(0.4)
  mock.timers.tick(0)
  assert.deepEqual(happened, [])
  await settled()
  mock.timers.tick(0)
  assert.deepEqual(happened, ['ended'])
  assert.deepEqual(told.at(-1), { type: 'turn.end', data: { text: 'A table.', probability: 0.4 } })
})

test('one that it does not take for finished waits, and not for long if the words are a whole sentence (S-051)', async () => {
  for (const [probability, threshold] of [
    [0.3, undefined],
    [0.6, 0.7],
  ] as const) {
    const { told, happened } = pauses(
      probability,
      threshold === undefined ? {} : { eot_threshold: threshold },
    )
    await settled()
    mock.timers.tick(649)
    assert.deepEqual(happened, [])
    mock.timers.tick(1)
    assert.deepEqual(happened, ['ended'])
    assert.deepEqual(told.at(-1)?.data, { text: 'A table.', probability })
  }
})

test('a pause that is set holds for turns that a model ends too', async () => {
  const { happened } = pauses(0.9, { endpointing_ms: 400 })
  await settled()
  mock.timers.tick(149)
  assert.deepEqual(happened, [])
  mock.timers.tick(1)
  assert.deepEqual(happened, ['ended'])
})

test('if no model can say, turns end as the framework ends them', async () => {
  const { told, happened } = pauses(null)
  await settled()
  mock.timers.tick(249)
  assert.deepEqual(happened, [])
  mock.timers.tick(1)
  assert.deepEqual(happened, ['ended'])
  assert.deepEqual(told.at(-1)?.data, { text: 'A table.', probability: 0.9 })
})

test('a model gives early signs from eager_eot_threshold on, and takes them back (N-446, N-448)', async () => {
  const { taking, told, happened, types } = pauses(0.34, { eager_eot_threshold: 0.3 })
  await settled()
  assert.deepEqual(told.at(-1), { type: 'eager.turn', data: { text: 'A table.', probability: 0.34 } })
  assert.deepEqual(happened, ['foreseen: A table.'])
  taking.speechStarted(60)
  assert.deepEqual(types().slice(-2), ['turn.continued', 'speech.started'])
  taking.speechEnded(250)
  taking.heard({ type: 'final', text: 'For two.' })
  await settled()
  mock.timers.tick(1_250)
  const foreseen = ['A table.', 'null', 'A table. For two.'].map((text) => `foreseen: ${text}`)
  assert.deepEqual(happened, [...foreseen, 'ended'])
  assert.equal(types().filter((type) => type === 'turn.continued').length, 1)
})

test('a judgement of a pause that is over counts no more, nor one after the end', async () => {
  const judged = Promise.withResolvers<number>()
  const { taking, happened } = turns({ endOfTurn: 'smart-turn', judge: () => judged.promise })
  taking.speechStarted(60)
  taking.speechEnded(250)
  taking.heard({ type: 'final', text: 'A table.' })
  taking.speechStarted(60)
  judged.resolve(0.99)
  await settled()
  mock.timers.tick(10_000)
  assert.deepEqual(happened, [])
  taking.speechEnded(250)
  taking.close()
  await settled()
  mock.timers.tick(10_000)
  assert.deepEqual(happened, [])
})

test('words left by the former agent’s transcriber are a turn of the current agent', () => {
  const { taking, happened } = turns({ endOfTurn: 'stt' })
  taking.speechStarted(60)
  taking.heard({ type: 'turn', state: 'started' })
  taking.heard({ type: 'final', text: 'A table.' })
  taking.speechEnded(250)
  mock.timers.tick(60_000)
  assert.deepEqual(happened, [])
  taking.use({ turn: {}, endOfTurn: 'framework', language: null, sureness: 0.36 })
  mock.timers.tick(500)
  assert.deepEqual(happened, ['ended'])
})

test('a sound that is hardly a voice interrupts only with words, unless the agent sets how long it takes', () => {
  const { taking, happened } = turns()
  taking.speechStarted(60)
  taking.speechGoesOn(900, { isLasting: false })
  assert.deepEqual(happened, [])
  taking.heard({ type: 'partial', text: 'Wait' })
  taking.speechGoesOn(930, { isLasting: false })
  assert.deepEqual(happened, ['interrupted'])

  const sure = turns()
  sure.taking.speechStarted(60)
  sure.taking.speechGoesOn(500, { isLasting: true })
  assert.deepEqual(sure.happened, ['interrupted'])

  const set = turns({ turn: { min_interruption_ms: 500 } })
  set.taking.speechStarted(60)
  set.taking.speechGoesOn(500, { isLasting: false })
  assert.deepEqual(set.happened, ['interrupted'])
})

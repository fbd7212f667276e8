import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { inference, initializeLogger, VADEventType, type VADEvent } from '@livekit/agents'
import { AudioFrame, dispose } from '@livekit/rtc-node'
import { resampled } from '@switchroom/audio/resampler'
import { sampleRate, samplesIn, speech } from '../../testing/scripted-sound.ts'
import { voiceActivityIn } from '../../testing/voice-activity-in.ts'
import { surenessByLanguage } from './turn-model.ts'
import type { VoiceActivity } from './voice-activity.ts'

initializeLogger({ pretty: false, level: 'silent' })
after(dispose)

/** Speech with a pause in it, and silence around it. */
const spoken = () => {
  const said = new Int16Array(samplesIn(5_000))
  said.set(speech(900), samplesIn(800))
  said.set(speech(1_200), samplesIn(2_200))
  return said
}

const stretches = (told: readonly { type: string; atMs: number }[]) =>
  told.flatMap(({ type, atMs }) => (type === 'window' ? [] : [`${type} ${Math.round(atMs)}`]))

/** What LiveKit's own voice activity detection says of the same samples. */
async function byLiveKit(samples: Int16Array): Promise<{ type: string; atMs: number }[]> {
  const stream = new inference.VAD().stream()
  const step = samplesIn(20)
  for (let at = 0; at + step <= samples.length; at += step)
    stream.pushFrame(new AudioFrame(samples.slice(at, at + step), sampleRate, 1, step))
  const events: VADEvent[] = []
  for (let windows = Math.floor(samples.length / 512); windows > 0;) {
    const { value } = await stream.next()
    if (!value) break
    events.push(value)
    if (value.type === VADEventType.INFERENCE_DONE) windows -= 1
  }
  stream.close()
  const names = { [VADEventType.START_OF_SPEECH]: 'started', [VADEventType.END_OF_SPEECH]: 'ended' }
  return events.map(({ type, timestamp }) => ({
    type: (names as Record<number, string>)[type] ?? 'window',
    atMs: timestamp,
  }))
}

test('a voice begins and ends where LiveKit’s detection says so, on the same model', async () => {
  const told = await voiceActivityIn(spoken(), sampleRate)
  assert.equal(stretches(told).length, 4)
  assert.deepEqual(stretches(told), stretches(await byLiveKit(spoken())))
})

test('a voice begins and ends at the same time on a phone line of 8 kHz, give or take a window', async () => {
  const wide = await voiceActivityIn(spoken(), sampleRate)
  const narrow = await voiceActivityIn(resampled(spoken(), sampleRate, 8_000), 8_000)
  const times = (told: readonly VoiceActivity[]) => told.filter(({ type }) => type !== 'window')
  assert.equal(times(narrow).length, times(wide).length)
  for (const [at, { atMs }] of times(narrow).entries())
    assert.ok(Math.abs(atMs - (times(wide)[at]?.atMs ?? 0)) <= 64, stretches(narrow).join())
})

test('a stretch of speech has half a second before it, so that its first sound is not lost', async () => {
  const started = (await voiceActivityIn(spoken(), sampleRate)).find(({ type }) => type === 'started')
  assert.ok(started && started.samples.length >= samplesIn(500))
  const loudest = started.samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
  assert.ok(loudest > 1_000, `${loudest}`)
})

test('the model is not asked about long digital silence, and hears the first word after it', async () => {
  const silent = new Int16Array(samplesIn(4_000))
  const said = new Int16Array(silent.length + samplesIn(1_500))
  said.set(speech(900), silent.length)
  const told = await voiceActivityIn(said, sampleRate)
  const windows = told.filter(({ type }) => type === 'window')
  const unasked = windows.filter(({ probability }) => probability === 0).length
  assert.ok(unasked > 100, `${unasked} of ${windows.length}`)
  const alone = await voiceActivityIn(said.subarray(samplesIn(3_840)), sampleRate)
  const startsMs = (from: number, of: readonly VoiceActivity[]) =>
    (of.find(({ type }) => type === 'started')?.atMs ?? Number.NaN) + from
  assert.equal(startsMs(0, told), startsMs(3_840, alone))
})

test('what is too quiet to be judged is no voice to the model either', async () => {
  const faint = speech(1_200).map((sample) => sample / 400)
  const level = Math.sqrt(faint.reduce((sum, sample) => sum + sample * sample, 0) / faint.length)
  const told = await voiceActivityIn(faint, sampleRate)
  assert.ok(level > 5, `${level}`)
  assert.ok(
    told.every(({ probability }) => probability < 0.5),
    `${Math.max(...told.map(({ probability }) => probability))} at ${level}`,
  )
})

test('the likelihoods of the turn model are those of its makers', () => {
  assert.deepEqual(surenessByLanguage, inference.LOCAL_LANGUAGES)
})

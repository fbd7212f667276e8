import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { NewEntry } from '@switchroom/contract/log'
import { untilAborted } from '@switchroom/kit/until-aborted'
import type { Spoken } from '@switchroom/kit/vendor'
import { ScriptedVoice } from '../../testing/scripted-vendors.ts'
import { sayingWith } from './said-text.ts'
import { SpeechSynthesis, type Spent } from './speech-synthesis.ts'
import type { VoiceRun } from './spoken-parts.ts'
import { WordClock } from './word-clock.ts'

const sampleRate = 16_000
const second = new Uint8Array(2 * sampleRate)
const patienceMs = 8_000

/** A voice that says so much, and then nothing more without ever ending. */
function hanging(said: readonly Spoken[], hangs: () => void): VoiceRun {
  const speak = async function* (_: string, signal: AbortSignal): AsyncIterable<Spoken> {
    yield* said
    hangs()
    await untilAborted(new Promise<never>(() => {}), signal)
  }
  return { vendor: 'hanging', model: 'voice-1', key: 'lent', voice: { sampleRate, speak } }
}

/** What the next voice is asked to say once the first has hung for too long. */
async function askedOfNext(context: TestContext, said: readonly Spoken[]) {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const hung = Promise.withResolvers<void>()
  const next = new ScriptedVoice('next')
  const kept: NewEntry[] = []
  const speaking = new SpeechSynthesis({
    voices: [hanging(said, hung.resolve), next],
    sampleRate,
    down: new Set(),
    keep: (entries) => kept.push(...entries),
    nowMs: () => performance.now(),
  })
  const spent: Spent[] = []
  const never = new AbortController().signal
  const all = Array.fromAsync(speaking.say('One two three.', sayingWith([]), new WordClock(), spent, never))
  await hung.promise
  await new Promise((resolve) => void setImmediate(resolve))
  context.mock.timers.tick(patienceMs - 1)
  await new Promise((resolve) => void setImmediate(resolve))
  assert.deepEqual(next.asked, [])
  context.mock.timers.tick(1)
  await all
  assert.deepEqual(
    kept.map(({ type, data }) => [type, data['vendor'], data['serves']]),
    [['vendor.switched', 'hanging', 'next']],
  )
  return next.asked
}

test('a voice that never begins is followed by the next after eight seconds', async (context) => {
  assert.deepEqual(await askedOfNext(context, []), ['One two three.'])
})

test('a voice that falls silent in the middle is followed by the next, which says the rest', async (context) => {
  const begun: Spoken[] = [
    { type: 'word', word: 'One', start: 0, end: 0.5 },
    { type: 'audio', pcm: second },
    { type: 'word', word: 'two', start: 1, end: 1.5 },
  ]
  assert.deepEqual(await askedOfNext(context, begun), ['two three.'])
})

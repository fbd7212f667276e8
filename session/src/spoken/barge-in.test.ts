import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Turn as TurnKnobs } from '@switchroom/contract/settings'
import { everydaySounds } from '../../testing/everyday-sounds.ts'
import { ScriptedSound, sampleRate, samplesIn, speech } from '../../testing/scripted-sound.ts'
import { voiceActivityIn } from '../../testing/voice-activity-in.ts'
import { BargeIn } from './barge-in.ts'
import { PausableSound } from './pausable-sound.ts'

const onsetMs = 1_000

/** When the agent falls silent for these samples and when it speaks again, after they began; null if it does not. */
async function pauseFor(samples: Int16Array, knobs: TurnKnobs = {}, isInterruptible = true) {
  const heard = new Int16Array(samplesIn(onsetMs) + samples.length + samplesIn(1_000))
  heard.set(samples, samplesIn(onsetMs))
  let [pausedMs, resumedMs, nowMs]: [number | null, number | null, number] = [null, null, 0]
  class WatchedSound extends PausableSound {
    override pause() {
      pausedMs ??= nowMs - onsetMs
    }

    override resume() {
      resumedMs ??= pausedMs === null ? null : nowMs - onsetMs
    }
  }
  const sound = new WatchedSound(new ScriptedSound())
  const bargeIn = new BargeIn({ sound, turn: () => knobs, yieldsTo: () => isInterruptible })
  for (const activity of await voiceActivityIn(heard, sampleRate)) {
    nowMs = activity.atMs
    bargeIn.notice(activity)
  }
  return { pausedMs, resumedMs }
}

test('the agent falls silent within 0.35 seconds of a caller who begins to speak', async () => {
  const { pausedMs } = await pauseFor(speech(2_000))
  assert.ok(pausedMs !== null && pausedMs <= 330, `after ${pausedMs} ms`)
})

test('a caller who stops at once is heard, and the agent continues', async () => {
  const { pausedMs, resumedMs } = await pauseFor(speech(330))
  assert.ok(
    pausedMs !== null && resumedMs !== null && resumedMs > pausedMs,
    `${pausedMs} and ${resumedMs} ms`,
  )
})

test('coughs, noise, tones, dogs, horns, thunder and ringing phones do not silence the agent', async () => {
  for (const [name, samples] of Object.entries(everydaySounds()))
    assert.equal((await pauseFor(samples)).pausedMs, null, name)
})

test('an agent that sets what interrupts it speaks until then, and a greeting that is not interruptible to its end', async () => {
  for (const knobs of [{ min_interruption_ms: 800 }, { min_interruption_words: 2 }])
    assert.equal((await pauseFor(speech(700), knobs)).pausedMs, null)
  assert.equal((await pauseFor(speech(700), {}, false)).pausedMs, null)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resampled } from '@switchroom/audio/resampler'
import { everydaySounds } from '../../testing/everyday-sounds.ts'
import { LoopedLine } from '../../testing/looped-line.ts'
import { sampleRate, speech } from '../../testing/scripted-sound.ts'
import { voiceActivityIn } from '../../testing/voice-activity-in.ts'
import { VoiceSureness } from './voice-sureness.ts'

const phoneRate = 8_000
/** From here on a caller interrupts, unless the settings say otherwise. */
const interruptsMs = 500

/** Whether the sound counts as a voice that interrupts, when it comes over a phone line so much later. */
async function interrupts(sound: Int16Array, lateMs: number): Promise<boolean> {
  const line = new LoopedLine(new Int16Array(3 * phoneRate), { gainDb: -Infinity, delayMs: 0 })
  line.caller.set(resampled(sound, sampleRate, phoneRate), ((200 + lateMs) * phoneRate) / 1_000)
  const heard: Int16Array[] = []
  for await (const frame of line.heard()) heard.push(frame)
  const voice = new VoiceSureness()
  for (const activity of await voiceActivityIn(
    Int16Array.from(heard.flatMap((frame) => [...frame])),
    phoneRate,
  )) {
    voice.notice(activity)
    if (activity.type === 'window' && activity.spokenMs >= interruptsMs && voice.isLasting) return true
  }
  return false
}

// the voice detection judges windows of 32 ms: a sound begins anywhere in one
const lates = [0, 8, 16, 24]

test('no cough, noise, tone, dog, horn, thunder or ringing phone is a voice that lasts, on a phone line', async () => {
  for (const [name, sound] of Object.entries(everydaySounds()))
    for (const late of lates) assert.equal(await interrupts(sound, late), false, `${name}, ${late} ms later`)
})

test('the voice of a person who speaks lasts', async () => {
  for (const late of lates) assert.ok(await interrupts(speech(2_500), late), `${late} ms later`)
})

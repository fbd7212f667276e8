import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { recordedSpeech, samplesIn } from '@switchroom/audio/testing/recorded-speech'
import { missing, pathOf } from '@switchroom/tools/debian-packages'
import { highHz, lowHz } from './keypad.ts'
import { ToneDetector } from './tone-detector.ts'

const keys = '123A456B789C*0#D'

interface Pressed {
  sampleRate?: number
  ms?: number
  level?: number
  /** How much louder the high tone is. */
  twist?: number
  /** How far both are from where they should be. */
  off?: number
  noise?: number
}

/** Every key once, as a line may carry it. */
function pressed({ sampleRate = 8000, ms = 70, level = 6000, twist = 1, off = 1, noise = 0 }: Pressed = {}) {
  const perMs = sampleRate / 1000
  let seed = 1
  const hiss = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0
    return (noise * seed) / 2 ** 31
  }
  const turn = (hz: number, at: number) => Math.sin((2 * Math.PI * hz * off * at) / sampleRate)
  return Int16Array.from(
    Array.from(keys).flatMap((_, key) => {
      const [low, high] = [lowHz[key >> 2] ?? 0, highHz[key & 3] ?? 0]
      // pauses of every length, so that tones begin anywhere within a frame
      const length = Math.round((2 * ms + key) * perMs)
      return Array.from({ length }, (_unused, at) =>
        at < ms * perMs ? clipped(level * (turn(low, at) + twist * turn(high, at)) + hiss()) : hiss(),
      )
    }),
  )
}

const clipped = (sample: number) => Math.max(-32_768, Math.min(32_767, sample))

function keysIn(samples: Int16Array, sampleRate = 8000): string {
  const detector = new ToneDetector(sampleRate)
  const frame = sampleRate / 50
  let found = ''
  for (let at = 0; at + frame <= samples.length; at += frame)
    found += detector.take(samples.subarray(at, at + frame)).join('')
  return found
}

for (const [how, tones] of Object.entries<Pressed>({
  'as phones make them': {},
  'for 45 ms': { ms: 45 },
  'very quietly': { level: 200 },
  'loudly enough to be clipped': { level: 20_000 },
  'with a high tone that is 6 dB louder': { level: 4000, twist: 2 },
  'with a high tone that is 8 dB quieter': { twist: 0.4 },
  '1.5 percent too high': { off: 1.015 },
  '1.5 percent too low': { off: 0.985 },
  'in noise': { noise: 2500 },
  'at 16 kHz': { sampleRate: 16_000 },
  'at 24 kHz': { sampleRate: 24_000 },
}))
  test(`keys are found in the sound if they are pressed ${how}`, () => {
    assert.equal(keysIn(pressed(tones), tones.sampleRate), keys)
  })

test('a key that is held is one key, also if its tone breaks off for 10 ms', () => {
  const [one = 0] = lowHz
  const [two = 0] = highHz
  const held = Int16Array.from({ length: 8000 }, (_, at) =>
    at > 3000 && at < 3080
      ? 0
      : 5000 * (Math.sin((2 * Math.PI * one * at) / 8000) + Math.sin((2 * Math.PI * two * at) / 8000)),
  )
  assert.equal(keysIn(held), '1')
})

test('one tone, dial tones, tones 3.5 percent off and tones of 20 ms are no keys', () => {
  const mixed = (...hz: number[]) =>
    Int16Array.from({ length: 8000 }, (_, at) =>
      hz.reduce((sum, one) => sum + 6000 * Math.sin((2 * Math.PI * one * at) / 8000), 0),
    )
  assert.equal(keysIn(mixed(697)), '')
  assert.equal(keysIn(mixed(1336)), '')
  for (const [low, high] of [
    [350, 440],
    [425, 425],
    [480, 620],
    [1100, 2100],
    [950, 1400],
  ])
    assert.equal(keysIn(mixed(low ?? 0, high ?? 0)), '')
  assert.equal(keysIn(pressed({ off: 1.035 })), '')
  assert.equal(keysIn(pressed({ ms: 20 })), '')
})

test('speech is no key', () => {
  assert.equal(keysIn(recordedSpeech(), 16_000), '')
})

test('none of the sentences that Asterisk says is a key', { skip: missing('asterisk-sounds') }, () => {
  const folder = pathOf('asterisk-sounds')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.wav'),
  )
  assert.ok(files.length > 300)
  let seconds = 0
  for (const name of files) {
    const samples = samplesIn(readFileSync(join(folder, name)))
    seconds += samples.length / 8000
    assert.equal(keysIn(samples), '', name)
  }
  assert.ok(seconds > 600, `${seconds} s`)
})

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { strengthOf } from './tones.ts'
import { wavHeaderBytes } from '../src/wav.ts'

/** A person who says one sentence: 2.6 s at 16 kHz. */
export function recordedSpeech(): Int16Array {
  const file = fileURLToPath(new URL('../../vendors/kit/testing/recordings/fox.wav', import.meta.url))
  return samplesIn(readFileSync(file))
}

/** The samples of a WAV file of one channel whose header is as short as it can be. */
export function samplesIn(wav: Buffer): Int16Array {
  const bytes = Uint8Array.from(wav.subarray(wavHeaderBytes, wav.length - (wav.length % 2)))
  return new Int16Array(bytes.buffer)
}

/** Of speech. */
const bandsHz = [200, 350, 500, 700, 1000, 1400, 2000, 2800]

/** How far the levels of what was made are from what they should be, band by band, in dB, where something is said. */
export function levelErrorOf(made: Int16Array, wanted: Int16Array, sampleRate: number): number {
  const frame = sampleRate / 50
  let [sum, count] = [0, 0]
  for (let at = 0; at + frame <= wanted.length; at += frame) {
    const [one, other] = [made.subarray(at, at + frame), wanted.subarray(at, at + frame)]
    if (other.every((sample) => Math.abs(sample) < 300)) continue
    for (const hz of bandsHz) {
      const [is, should] = [one, other].map(
        (samples) => 20 * Math.log10(0.003 + strengthOf(hz, samples, sampleRate)),
      )
      sum += Math.abs((is ?? 0) - (should ?? 0))
      count += 1
    }
  }
  return sum / Math.max(1, count)
}

/** How far what was made is from what it should be, in dB: the higher, the closer. */
export function likenessOf(made: Int16Array, wanted: Int16Array): number {
  let [signal, error] = [0, 1e-9]
  for (const [at, sample] of wanted.entries()) {
    signal += sample ** 2
    error += ((made[at] ?? 0) - sample) ** 2
  }
  return 10 * Math.log10(signal / error)
}

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
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

/** How far what was made is from what it should be, in dB: the higher, the closer. */
export function likenessOf(made: Int16Array, wanted: Int16Array): number {
  let [signal, error] = [0, 1e-9]
  for (const [at, sample] of wanted.entries()) {
    signal += sample ** 2
    error += ((made[at] ?? 0) - sample) ** 2
  }
  return 10 * Math.log10(signal / error)
}

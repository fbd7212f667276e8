import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { resampled } from '@switchroom/audio/resampler'

/** What a person said, as a phone sends it, and the words it is known to hold, in each way they are written. */
export interface Recording {
  name: string
  samples: Int16Array
  texts: readonly string[]
}

export const phoneRate = 8_000
const sampleBytes = 2
/** Quieter than this is the silence behind the last word. */
const loud = 300

/** So many of a folder in the form of LJ Speech: `metadata.csv` with `name|words|words without figures`, `wavs/name.wav`. */
export function recordingsIn(folder: string, most: number): Recording[] {
  const rows = readFileSync(join(folder, 'metadata.csv'), 'utf8')
    .split('\n')
    .map((line) => line.trim().split('|'))
    .filter(([name = '', text]) => text !== undefined && existsSync(wavIn(folder, name)))
  const step = Math.max(1, rows.length / most)
  const chosen = Array.from({ length: Math.min(most, rows.length) }, (_, at) => rows[Math.floor(at * step)])
  return chosen.flatMap((row) => {
    const [name = '', ...texts] = row ?? []
    return { name, texts, samples: readWav(readFileSync(wavIn(folder, name)), name) }
  })
}

const wavIn = (folder: string, name: string) => join(folder, 'wavs', `${name}.wav`)

/** Mono samples of 16 bits, resampled to what a phone has, to the end of the last word. */
function readWav(file: Buffer, name: string): Int16Array {
  let at = 12
  let rate = 0
  while (at + 8 <= file.length) {
    const [kind, bytes] = [file.toString('latin1', at, at + 4), file.readUInt32LE(at + 4)]
    const start = at + 8
    if (kind === 'fmt ') {
      const [format, channels, bits] = [0, 2, 14].map((offset) => file.readUInt16LE(start + offset))
      if (format !== 1 || channels !== 1 || bits !== 8 * sampleBytes)
        throw new Error(`${name}.wav must be PCM, mono, of 16 bits`)
      rate = file.readUInt32LE(start + 4)
    }
    if (kind === 'data' && rate > 0) {
      const end = Math.min(start + bytes, file.length)
      const whole = end - ((end - start) % sampleBytes)
      const samples = new Int16Array(file.buffer.slice(file.byteOffset + start, file.byteOffset + whole))
      const atPhone = resampled(samples, rate, phoneRate)
      return atPhone.slice(0, atPhone.findLastIndex((sample) => Math.abs(sample) > loud) + 1)
    }
    at = start + bytes + (bytes % 2)
  }
  throw new Error(`${name}.wav is no WAV file with sound`)
}

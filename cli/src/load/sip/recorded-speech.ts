import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { resampled } from '@switchroom/audio/resampler'
import { packageFolder } from '../../package-folder.ts'
import { reasonOf, wrongUsage } from '../../terminal/failures.ts'

const phoneRate = 8_000
/** Louder than this is speech. */
export const loud = 500
const longestS = 30
const ownSpeech = join(packageFolder, 'assets', 'what-time-is-it.wav')

/** What the callers say, as a phone sends it: the recording that ships, or a WAV file. */
export function recordedSpeech(file = ownSpeech): Int16Array {
  const { samples, rate } = wavIn(file)
  const at8k = resampled(samples, rate, phoneRate)
  const end = at8k.findLastIndex((sample) => Math.abs(sample) > loud) + 1
  if (end === 0) throw wrongUsage(`${file} holds no sound that can be heard`)
  if (end > longestS * phoneRate) throw wrongUsage(`${file} is longer than ${longestS} s`)
  return at8k.slice(0, end) // the answer is timed from its last sound
}

function wavIn(file: string): { samples: Int16Array; rate: number } {
  const bytes = read(file)
  const format = chunkOf(bytes, 'fmt ')
  const data = chunkOf(bytes, 'data')
  const isPlain =
    format !== undefined &&
    format.length >= 16 &&
    format.readUInt16LE(0) === 1 &&
    format.readUInt16LE(2) === 1 &&
    format.readUInt16LE(14) === 16
  if (!isPlain || !data) throw wrongUsage(`${file} must be a WAV file with one channel of 16-bit samples`)
  const samples = new Int16Array(data.length >> 1)
  for (let at = 0; at < samples.length; at += 1) samples[at] = data.readInt16LE(2 * at)
  const rate = format.readUInt32LE(4)
  if (rate < phoneRate || rate > 48_000) throw wrongUsage(`${file} must have 8000 to 48000 samples a second`)
  return { samples, rate }
}

function read(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw wrongUsage(`${file} could not be read: ${reasonOf(error)}`)
  }
}

function chunkOf(bytes: Buffer, name: string): Buffer | undefined {
  for (let at = 12; at + 8 <= bytes.length;) {
    const length = bytes.readUInt32LE(at + 4)
    if (bytes.toString('latin1', at, at + 4) === name) return bytes.subarray(at + 8, at + 8 + length)
    at += 8 + length + (length % 2)
  }
  return undefined
}

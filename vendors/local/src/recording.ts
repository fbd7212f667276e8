import { refused } from '@switchroom/kit/failures'
import type { PcmFormat } from './pcm-format.ts'

const chunkHeaderBytes = 8
const pcm = 1
const float = 3
const extensible = 0xfffe

/** The samples in a WAV file. A data chunk that says it is longer than the file ends with it. */
export function samplesOf(wav: Uint8Array): { format: PcmFormat; data: Uint8Array } {
  const file = Buffer.from(wav.buffer, wav.byteOffset, wav.byteLength)
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WAVE')
    throw refused('local speech-to-text takes only WAV recordings')
  let format: PcmFormat | undefined
  for (let at = 12; at + chunkHeaderBytes <= file.length;) {
    const name = file.toString('latin1', at, at + 4)
    const length = file.readUInt32LE(at + 4)
    const start = at + chunkHeaderBytes
    if (name === 'fmt ') format = formatOf(file.subarray(start, start + length))
    if (name === 'data' && format) return { format, data: file.subarray(start, start + length) }
    at = start + length + (length % 2)
  }
  throw refused('local speech-to-text found no samples in the WAV file')
}

function formatOf(chunk: Buffer): PcmFormat {
  if (chunk.length < 16) throw refused('local speech-to-text cannot read the header of the WAV file')
  const coded = chunk.readUInt16LE(0)
  const kind = coded === extensible && chunk.length >= 26 ? chunk.readUInt16LE(24) : coded
  const bits = chunk.readUInt16LE(14)
  const channels = chunk.readUInt16LE(2)
  if (!(kind === pcm && bits === 16) && !(kind === float && bits === 32))
    throw refused('local speech-to-text takes WAV with 16-bit samples or 32-bit floating point')
  if (channels !== 1 && channels !== 2)
    throw refused('local speech-to-text takes WAV with one or two channels')
  return { sampleRate: chunk.readUInt32LE(4), channels, encoding: kind === pcm ? 's16' : 'f32' }
}

const chunkHeaderBytes = 8
const pcm = 1
const float = 3
const extensible = 0xfffe

export interface WavFormat {
  coding: number
  channels: number
  sampleRate: number
  /** Of one sample of every channel. */
  frameBytes: number
  bits: number
}

/** What the header of a WAV file says; undefined if it says nothing. */
export function wavFormat(file: Buffer): WavFormat | undefined {
  for (let at = 12; at + chunkHeaderBytes + 16 <= file.length;) {
    const length = file.readUInt32LE(at + 4)
    if (file.toString('latin1', at, at + 4) === 'fmt ') return formatIn(file.subarray(at + chunkHeaderBytes))
    at += chunkHeaderBytes + length + (length % 2)
  }
  return undefined
}

function formatIn(chunk: Buffer): WavFormat {
  const coded = chunk.readUInt16LE(0)
  return {
    coding: coded === extensible && chunk.length >= 26 ? chunk.readUInt16LE(24) : coded,
    channels: chunk.readUInt16LE(2),
    sampleRate: chunk.readUInt32LE(4),
    frameBytes: chunk.readUInt16LE(12),
    bits: chunk.readUInt16LE(14),
  }
}

/** What every vendor that takes WAV takes: plain samples of one channel or two, as speech is recorded. */
export function isPlainWav(file: Buffer): boolean {
  const { coding, bits, channels, sampleRate } = wavFormat(file) ?? {
    coding: 0,
    bits: 0,
    channels: 0,
    sampleRate: 0,
  }
  const isPlain = (coding === pcm && bits === 16) || (coding === float && bits === 32)
  return isPlain && (channels === 1 || channels === 2) && sampleRate >= 8_000 && sampleRate <= 48_000
}

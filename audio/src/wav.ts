export const wavHeaderBytes = 44
const bytesPerSample = 2
/** A header can say no more; players read on to the end of a file that is longer. */
const mostBytes = 2 ** 32 - 1

export interface WavFormat {
  sampleRate: number
  channels?: number
  /** Infinity while the length is not known. */
  dataBytes: number
}

/** Signed 16-bit little-endian mono samples as a WAV file. */
export function wavOf(pcm: Uint8Array, sampleRate: number): Buffer {
  return Buffer.concat([wavHeader({ sampleRate, dataBytes: pcm.length }), pcm])
}

export function wavHeader({ sampleRate, channels = 1, dataBytes }: WavFormat): Buffer {
  const header = Buffer.alloc(wavHeaderBytes)
  header.write('RIFF', 0)
  header.writeUInt32LE(Math.min(dataBytes + wavHeaderBytes - 8, mostBytes), 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20) // PCM
  header.writeUInt16LE(channels, 22)
  header.writeUInt32LE(sampleRate, 24)
  header.writeUInt32LE(sampleRate * channels * bytesPerSample, 28)
  header.writeUInt16LE(channels * bytesPerSample, 32)
  header.writeUInt16LE(8 * bytesPerSample, 34)
  header.write('data', 36)
  header.writeUInt32LE(Math.min(dataBytes, mostBytes), 40)
  return header
}

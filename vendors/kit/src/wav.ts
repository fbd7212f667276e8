const headerBytes = 44
const bytesPerSample = 2

/** Signed 16-bit little-endian mono samples as a WAV file. */
export function wavOf(pcm: Uint8Array, sampleRate: number): Buffer {
  return Buffer.concat([wavHeader(sampleRate, pcm.length), pcm])
}

/** The header of a WAV file with this much of samples behind it. */
export function wavHeader(sampleRate: number, dataBytes: number): Buffer {
  const header = Buffer.alloc(headerBytes)
  header.write('RIFF', 0)
  header.writeUInt32LE(Math.min(dataBytes + headerBytes - 8, 0xffffffff), 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20) // PCM
  header.writeUInt16LE(1, 22) // mono
  header.writeUInt32LE(sampleRate, 24)
  header.writeUInt32LE(sampleRate * bytesPerSample, 28)
  header.writeUInt16LE(bytesPerSample, 32)
  header.writeUInt16LE(8 * bytesPerSample, 34)
  header.write('data', 36)
  header.writeUInt32LE(Math.min(dataBytes, 0xffffffff), 40)
  return header
}

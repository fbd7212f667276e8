/** Stereo, 8000 samples a second, 16 bit: 32 bytes a millisecond. Its own word for its length is that of a stream. */
export function recordedWav(ms: number, sample = 1): Buffer {
  const header = Buffer.alloc(44)
  header.write('RIFF\xff\xff\xff\xffWAVEfmt ', 0, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(2, 22)
  header.writeUInt32LE(8000, 24)
  header.writeUInt32LE(32_000, 28)
  header.writeUInt16LE(4, 32)
  header.writeUInt16LE(16, 34)
  header.write('data\xff\xff\xff\xff', 36, 'latin1')
  return Buffer.concat([header, Buffer.alloc(ms * 32, sample)])
}

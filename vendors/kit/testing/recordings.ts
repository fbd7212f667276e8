import { readFileSync } from 'node:fs'

/** "The quick brown fox jumps over the lazy dog.", said once and encoded by others. */
export const recording = (name: string): Buffer =>
  readFileSync(new URL(`recordings/${name}`, import.meta.url))

export const spokenRate = 16_000
/** The same as bare samples. */
export const spokenPcm = (): Buffer => recording('fox.wav').subarray(44)
export const spokenSeconds = spokenPcm().length / 2 / spokenRate

export function aiff(pcm: Buffer, sampleRate: number): Buffer {
  const head = Buffer.alloc(54)
  head.write('FORM', 0)
  head.writeUInt32BE(46 + pcm.length, 4)
  head.write('AIFFCOMM', 8)
  head.writeUInt32BE(18, 16)
  head.writeUInt16BE(1, 20)
  head.writeUInt32BE(pcm.length / 2, 22)
  head.writeUInt16BE(16, 26)
  const exponent = Math.floor(Math.log2(sampleRate))
  head.writeUInt16BE(16_383 + exponent, 28)
  head.writeUInt32BE(Math.floor((sampleRate / 2 ** exponent) * 2 ** 31), 30)
  head.write('SSND', 38)
  head.writeUInt32BE(8 + pcm.length, 42)
  return Buffer.concat([head, Buffer.from(pcm).swap16()])
}

/** Nothing, for two seconds: a hundred frames of 12.2 kbit/s. */
export const silentAmr = (): Buffer =>
  Buffer.concat([
    Buffer.from('#!AMR\n'),
    ...Array.from({ length: 100 }, () => Buffer.concat([Buffer.of(0x3c), Buffer.alloc(31)])),
  ])

/** The header of a WAV file that says what a test wants it to. */
export function wavSaying(format: { channels?: number; frameBytes?: number; bits?: number; rate?: number }) {
  const { channels = 1, bits = 16, rate = 16_000, frameBytes = (channels * bits) / 8 } = format
  const head = Buffer.alloc(44)
  head.write('RIFF\xff\xff\xff\xffWAVEfmt ', 0, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(channels, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt16LE(frameBytes, 32)
  head.writeUInt16LE(bits, 34)
  head.write('data\xff\xff\xff\xff', 36, 'latin1')
  return head
}

/** A FLAC file of which every few bytes are a second and a half of eight silent channels. */
export function flacBomb(bytes: number): Buffer {
  const info = Buffer.alloc(34)
  info.writeUInt16BE(65_535, 0)
  info.writeUInt16BE(65_535, 2)
  info.writeBigUInt64BE((44_100n << 44n) | (7n << 41n) | (15n << 36n), 10)
  const said = Buffer.of(0xff, 0xf8, 0x79, 0x78, 0x00, 0xff, 0xfe)
  const body = Buffer.concat([said, Buffer.of(crc(said, 8, 0x07)), Buffer.alloc(24)])
  const sum = Buffer.alloc(2)
  sum.writeUInt16BE(crc(body, 16, 0x8005))
  const frame = Buffer.concat([body, sum])
  const frames = Buffer.alloc(Math.floor(bytes / frame.length) * frame.length, frame)
  return Buffer.concat([Buffer.from('fLaC'), Buffer.of(0x80, 0, 0, 34), info, frames])
}

function crc(bytes: Buffer, width: 8 | 16, polynomial: number): number {
  const top = 1 << (width - 1)
  let sum = 0
  for (const byte of bytes) {
    sum ^= byte << (width - 8)
    for (let bit = 0; bit < 8; bit += 1)
      sum = (sum & top ? (sum << 1) ^ polynomial : sum << 1) & (2 * top - 1)
  }
  return sum
}

/** An MP4 file of a few bytes whose table has four thousand million entries. */
export function mp4Bomb(): Buffer {
  const box = (type: string, ...inside: Buffer[]) => {
    const body = Buffer.concat(inside)
    const head = Buffer.alloc(8)
    head.writeUInt32BE(8 + body.length)
    head.write(type, 4)
    return Buffer.concat([head, body])
  }
  const numbers = (...values: number[]) =>
    Buffer.concat(values.map((value) => Buffer.of(value >>> 24, value >>> 16, value >>> 8, value)))
  const tables = [
    box('stsd', numbers(0, 1)),
    box('stsz', numbers(0, 1, 0xffffffff)),
    box('stco', numbers(0, 1, 0)),
  ]
  const handler = box('hdlr', numbers(0, 0), Buffer.from('soun'), Buffer.alloc(12))
  const media = box('mdia', handler, box('minf', box('stbl', ...tables)))
  return Buffer.concat([box('ftyp', Buffer.from('M4A \0\0\0\0')), box('moov', box('trak', media))])
}

const headerBytes = 27
const polynomial = 0x04c11db7
const [first, last] = [2, 4]

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x80000000 ? (crc << 1) ^ polynomial : crc << 1
  return crc >>> 0
})

export interface OggPage {
  /** The position behind its last packet. */
  ticks: number
  serial: number
  number: number
  isFirst?: boolean
  isLast?: boolean
}

/** A page of whole packets, which have up to 255 segments of 255 bytes together (RFC 3533). */
export function oggPage(packets: readonly Uint8Array[], page: OggPage): Buffer {
  const segments = packets.flatMap(({ length }) => [
    ...Array<number>(Math.floor(length / 255)).fill(255),
    length % 255,
  ])
  if (segments.length > 255) throw new RangeError(`an Ogg page has 255 segments, and not ${segments.length}`)
  const header = Buffer.alloc(headerBytes)
  header.write('OggS')
  header.writeUInt8((page.isFirst ? first : 0) | (page.isLast ? last : 0), 5)
  header.writeBigInt64LE(BigInt(page.ticks), 6)
  header.writeUInt32LE(page.serial, 14)
  header.writeUInt32LE(page.number, 18)
  header.writeUInt8(segments.length, 26)
  const whole = Buffer.concat([header, Buffer.from(segments), ...packets])
  whole.writeUInt32LE(checksumOf(whole), 22)
  return whole
}

/** Of a page whose own four bytes for it are zero. */
export function checksumOf(page: Uint8Array): number {
  let crc = 0
  for (const byte of page) crc = ((crc << 8) ^ (table[((crc >>> 24) ^ byte) & 0xff] ?? 0)) >>> 0
  return crc
}

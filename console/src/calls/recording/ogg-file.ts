const clockRate = 48_000
/** Of libopus at its full rate, which browsers encode with. */
const skippedTicks = 312
const packetsPerPage = 40
const [first, last] = [2, 4]
const polynomial = 0x04c11db7

interface Packet {
  byteLength: number
  /** Microseconds. */
  duration: number | null
  copyTo: (bytes: Uint8Array) => void
}

/** Packs a browser's Opus packets into an Ogg file (RFC 7845), which plays for as long as it should. */
export class OggFile {
  readonly #parts: Uint8Array<ArrayBuffer>[] = []
  readonly #lengthTicks: number
  #packets: Uint8Array[] = []
  #ticks = 0
  #page = 0

  constructor(channels: number, sampleRate: number, lengthS: number) {
    this.#lengthTicks = Math.round(lengthS * clockRate)
    const head = new DataView(new ArrayBuffer(19))
    write(head, 0, 'OpusHead')
    head.setUint8(8, 1)
    head.setUint8(9, channels)
    head.setUint16(10, skippedTicks, true)
    head.setUint32(12, sampleRate, true)
    const tags = new DataView(new ArrayBuffer(16))
    write(tags, 0, 'OpusTags')
    this.#write([new Uint8Array(head.buffer)], 0, first)
    this.#write([new Uint8Array(tags.buffer)], 0, 0)
  }

  add(packet: Packet) {
    if (this.#packets.length === packetsPerPage) this.#flush(0)
    const bytes = new Uint8Array(packet.byteLength)
    packet.copyTo(bytes)
    this.#packets.push(bytes)
    this.#ticks += Math.round(((packet.duration ?? 20_000) * clockRate) / 1_000_000)
  }

  end(): Blob {
    this.#ticks = Math.min(this.#ticks, this.#lengthTicks + skippedTicks)
    this.#flush(last)
    return new Blob(this.#parts, { type: 'audio/ogg' })
  }

  #flush(flag: number) {
    this.#write(this.#packets, this.#ticks, flag)
    this.#packets = []
  }

  #write(packets: readonly Uint8Array[], ticks: number, flag: number) {
    const segments = packets.flatMap(({ length }) => [
      ...Array<number>(Math.floor(length / 255)).fill(255),
      length % 255,
    ])
    const headBytes = 27 + segments.length
    const page = new Uint8Array(headBytes + packets.reduce((sum, { length }) => sum + length, 0))
    const view = new DataView(page.buffer)
    write(view, 0, 'OggS')
    view.setUint8(5, flag)
    view.setBigInt64(6, BigInt(ticks), true)
    view.setUint32(14, 1, true)
    view.setUint32(18, this.#page, true)
    view.setUint8(26, segments.length)
    page.set(segments, 27)
    let at = headBytes
    for (const packet of packets) {
      page.set(packet, at)
      at += packet.length
    }
    view.setUint32(22, checksumOf(page), true)
    this.#page += 1
    this.#parts.push(page)
  }
}

const write = (view: DataView, at: number, text: string) => {
  for (const [index, byte] of new TextEncoder().encode(text).entries()) view.setUint8(at + index, byte)
}

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x80000000 ? (crc << 1) ^ polynomial : crc << 1
  return crc >>> 0
})

function checksumOf(page: Uint8Array): number {
  let crc = 0
  for (const byte of page) crc = ((crc << 8) ^ (table[((crc >>> 24) ^ byte) & 0xff] ?? 0)) >>> 0
  return crc
}

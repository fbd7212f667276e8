import { Encoder } from '@evan/opus'
import { oggPage } from './ogg-page.ts'

const frameMs = 20
/** Ogg counts in samples of 48 kHz, whatever rate was encoded. */
const clockRate = 48_000
const ticksPerFrame = (clockRate / 1000) * frameMs
const complexity = 3
/** OPUS_GET_LOOKAHEAD, which the library's types call by a name that it does not have. */
const getLookahead = 4027

/** The rates that Opus takes as they are. */
const opusRates = [8000, 12_000, 16_000, 24_000, 48_000] as const
type OpusRate = (typeof opusRates)[number]
export const isOpusRate = (rate: number): rate is OpusRate => opusRates.some((known) => known === rate)

export interface OggOpusOptions {
  channels: 1 | 2
  /** Of all channels together. */
  bitsPerSecond: number
  /** At most 40: so few that their segments fit into a page, however long Opus makes them. */
  packetsPerPage: number
}

/** Both sides of a call, for a file. */
const usual: OggOpusOptions = { channels: 2, bitsPerSecond: 48_000, packetsPerPage: 40 }

/** Writes a sound as an Ogg Opus file (RFC 7845), a page at a time. */
export class OggOpusWriter {
  readonly #options: OggOpusOptions
  readonly #encoder: Encoder
  readonly #sampleRate: OpusRate
  readonly #skippedTicks: number
  readonly #serial: number
  readonly #frame: Int16Array
  #filled = 0
  #samples = 0
  #packets: Uint8Array[] = []
  #encodedTicks = 0
  #page = 0

  constructor(sampleRate: OpusRate, serial: number, options = usual) {
    const { channels, bitsPerSecond } = options
    this.#options = options
    this.#sampleRate = sampleRate
    this.#serial = serial
    this.#encoder = new Encoder({ channels, sample_rate: sampleRate, application: 'audio' })
    this.#encoder.complexity = complexity
    this.#encoder.bitrate = bitsPerSecond
    this.#encoder.signal = 'voice'
    this.#skippedTicks = (this.#encoder.ctl(getLookahead) * clockRate) / sampleRate
    this.#frame = new Int16Array((channels * sampleRate * frameMs) / 1000)
  }

  /** The beginning of the file. */
  head(): Buffer {
    const head = Buffer.alloc(19)
    head.write('OpusHead')
    head.writeUInt8(1, 8)
    head.writeUInt8(this.#options.channels, 9)
    head.writeUInt16LE(this.#skippedTicks, 10)
    head.writeUInt32LE(this.#sampleRate, 12)
    const vendor = Buffer.from('Switchroom')
    const tags = Buffer.alloc(8 + 4 + vendor.length + 4)
    tags.write('OpusTags')
    tags.writeUInt32LE(vendor.length, 8)
    vendor.copy(tags, 12)
    return Buffer.concat([this.#write([head], 0, { isFirst: true }), this.#write([tags], 0)])
  }

  /** Interleaved samples of the channels; answers the pages that are full. */
  encode(samples: Int16Array): Buffer {
    const { channels, packetsPerPage } = this.#options
    const pages: Buffer[] = []
    this.#samples += samples.length / channels
    for (let at = 0; at < samples.length;) {
      const part = samples.subarray(at, at + this.#frame.length - this.#filled)
      this.#frame.set(part, this.#filled)
      this.#filled += part.length
      at += part.length
      if (this.#filled === this.#frame.length) this.#encodeFrame()
      if (this.#packets.length > packetsPerPage) pages.push(this.#takePage(packetsPerPage))
    }
    return Buffer.concat(pages)
  }

  /** What is left; the file then plays exactly as long as what was encoded. */
  end(): Buffer {
    const { packetsPerPage } = this.#options
    const wantedTicks = Math.round((this.#samples * clockRate) / this.#sampleRate) + this.#skippedTicks
    // silence behind the end pushes the last samples out of the encoder
    while (this.#encodedTicks < wantedTicks || this.#packets.length === 0) {
      this.#frame.fill(0, this.#filled)
      this.#encodeFrame()
    }
    const pages: Buffer[] = []
    while (this.#packets.length > packetsPerPage) pages.push(this.#takePage(packetsPerPage))
    pages.push(this.#write(this.#packets, wantedTicks, { isLast: true }))
    return Buffer.concat(pages)
  }

  #encodeFrame() {
    this.#packets.push(Uint8Array.from(this.#encoder.encode(this.#frame)))
    this.#encodedTicks += ticksPerFrame
    this.#filled = 0
  }

  #takePage(packets: number): Buffer {
    const taken = this.#packets.splice(0, packets)
    return this.#write(taken, this.#encodedTicks - this.#packets.length * ticksPerFrame)
  }

  #write(packets: readonly Uint8Array[], ticks: number, more: { isFirst?: boolean; isLast?: boolean } = {}) {
    return oggPage(packets, { ticks, serial: this.#serial, number: this.#page++, ...more })
  }
}

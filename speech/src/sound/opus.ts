import { randomInt } from 'node:crypto'
import { OggOpusWriter } from '@switchroom/audio/ogg-opus'
import { samplesOf } from '@switchroom/audio/pcm'

/** Pages of a tenth of a second, so that a listener need not wait for a long one. */
const options = { channels: 1, bitsPerSecond: 32_000, packetsPerPage: 5 } as const

/** Opus in Ogg, of 16-bit mono samples. */
export class Opus {
  readonly #writer: OggOpusWriter
  #hasHead = false

  constructor(sampleRate: 16_000 | 24_000) {
    this.#writer = new OggOpusWriter(sampleRate, randomInt(2 ** 31), options)
  }

  take(pcm: Uint8Array): Uint8Array {
    const pages = this.#writer.encode(samplesOf(pcm))
    return pages.length > 0 ? this.#afterHead(pages) : pages
  }

  end(): Uint8Array {
    return this.#afterHead(this.#writer.end())
  }

  #afterHead(pages: Buffer): Buffer {
    if (this.#hasHead) return pages
    this.#hasHead = true
    return Buffer.concat([this.#writer.head(), pages])
  }
}

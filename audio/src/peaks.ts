/** Twice as many at most, before two become one. */
const fewest = 400

/** The loudest sample of each stretch of a sound, for every channel, while its length is not known yet. */
export class Peaks {
  readonly #channels: number
  /** Samples of a channel in a stretch: doubled whenever there are too many stretches. */
  #stretch = 128
  #taken = 0
  #values: number[] = []

  constructor(channels: number) {
    this.#channels = channels
  }

  /** Interleaved samples of all channels. */
  take(samples: Int16Array) {
    const channels = this.#channels
    for (let at = 0; at + channels <= samples.length; at += channels) {
      if (this.#taken % this.#stretch === 0) this.#open()
      const stretch = this.#values.length - channels
      for (let channel = 0; channel < channels; channel += 1) {
        const loud = Math.abs(samples[at + channel] ?? 0)
        if (loud > (this.#values[stretch + channel] ?? 0)) this.#values[stretch + channel] = loud
      }
      this.#taken += 1
    }
  }

  /** One byte a channel for each stretch, 255 is the loudest there is; the last stretch may be shorter. */
  get bytes(): Uint8Array {
    return Uint8Array.from(this.#values, (loud) => Math.min(255, Math.ceil(loud / 128.5)))
  }

  #open() {
    if (this.#values.length >= 2 * fewest * this.#channels) this.#halve()
    if (this.#taken % this.#stretch === 0) for (let n = 0; n < this.#channels; n += 1) this.#values.push(0)
  }

  #halve() {
    const channels = this.#channels
    const halved: number[] = []
    for (let at = 0; at < this.#values.length; at += 2 * channels)
      for (let channel = 0; channel < channels; channel += 1)
        halved.push(Math.max(this.#values[at + channel] ?? 0, this.#values[at + channels + channel] ?? 0))
    this.#values = halved
    this.#stretch *= 2
  }
}

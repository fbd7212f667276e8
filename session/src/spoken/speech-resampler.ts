import { Resampler } from '@switchroom/audio/resampler'

const bytesPerSample = 2
/** The most that is passed on at once, so that a stop takes effect soon. */
const mostMs = 100

/** A voice's bytes as samples at the rate that the party hears. */
export class SpeechResampler {
  readonly #most: number
  readonly #resampler: Resampler

  constructor(from: number, to: number) {
    this.#most = (from * mostMs) / 1_000
    this.#resampler = new Resampler(from, to)
  }

  *take(pcm: Uint8Array): Iterable<Int16Array> {
    const samples = samplesOf(pcm)
    for (let at = 0; at < samples.length; at += this.#most) {
      const made = this.#resampler.take(samples.subarray(at, at + this.#most))
      if (made.length > 0) yield made
    }
  }

  *rest(): Iterable<Int16Array> {
    const last = this.#resampler.rest()
    if (last.length > 0) yield last
  }
}

/** Copied: samples must begin at an even address, and the vendor may reuse the bytes. */
function samplesOf(pcm: Uint8Array): Int16Array {
  const samples = new Int16Array(Math.floor(pcm.length / bytesPerSample))
  Buffer.from(samples.buffer).set(pcm.subarray(0, samples.length * bytesPerSample))
  return samples
}

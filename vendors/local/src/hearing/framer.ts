import { Resampler } from '@switchroom/audio/resampler'
import type { PcmFormat } from '../pcm-format.ts'
import { SampleReader } from './samples.ts'
import { frameSamples } from './silero.ts'

const sampleRate = 16_000

/** Makes frames of what a stream sends, whatever its rate and its pieces. */
export class Framer {
  readonly #inputRate: number
  readonly #reader: SampleReader
  readonly #resampler: Resampler | undefined
  #samples = new Float32Array(0)
  #read = 0
  #taken = 0

  constructor(format: PcmFormat) {
    this.#inputRate = format.sampleRate
    this.#reader = new SampleReader(format)
    if (format.sampleRate !== sampleRate) this.#resampler = new Resampler(format.sampleRate, sampleRate)
  }

  /** Of all that came in. */
  get seconds(): number {
    return this.#read / this.#inputRate
  }

  push(bytes: Uint8Array) {
    const samples = this.#reader.read(bytes)
    this.#read += samples.length
    this.#append(this.#resampler?.push(samples) ?? samples)
  }

  /** What is left becomes a last frame. */
  end() {
    if (this.#resampler) this.#append(this.#resampler.end())
    const left = (this.#samples.length - this.#taken) % frameSamples
    if (left > 0) this.#append(new Float32Array(frameSamples - left))
  }

  next(): Float32Array | undefined {
    const end = this.#taken + frameSamples
    if (end > this.#samples.length) return undefined
    const frame = this.#samples.slice(this.#taken, end)
    this.#taken = end
    return frame
  }

  #append(samples: Float32Array) {
    const all = new Float32Array(this.#samples.length - this.#taken + samples.length)
    all.set(this.#samples.subarray(this.#taken))
    all.set(samples, all.length - samples.length)
    this.#samples = all
    this.#taken = 0
  }
}

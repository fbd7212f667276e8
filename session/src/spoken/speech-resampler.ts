import { AudioFrame, AudioResampler, AudioResamplerQuality } from '@livekit/rtc-node'

const bytesPerSample = 2
/** The most that is passed on at once, so that a stop takes effect soon. */
const mostMs = 100

/** A voice's bytes as samples at the rate that the party hears. */
export class SpeechResampler implements Disposable {
  readonly #from: number
  readonly #resampler: AudioResampler | null

  constructor(from: number, to: number) {
    this.#from = from
    this.#resampler = from === to ? null : new AudioResampler(from, to, 1, AudioResamplerQuality.MEDIUM)
  }

  *take(pcm: Uint8Array): Iterable<Int16Array> {
    const samples = samplesOf(pcm)
    const most = (this.#from * mostMs) / 1_000
    for (let at = 0; at < samples.length; at += most) yield* this.#resampled(samples.subarray(at, at + most))
  }

  *rest(): Iterable<Int16Array> {
    for (const frame of this.#resampler?.flush() ?? []) yield frame.data
  }

  *#resampled(samples: Int16Array): Iterable<Int16Array> {
    if (!this.#resampler) {
      yield samples
      return
    }
    const frame = new AudioFrame(samples, this.#from, 1, samples.length)
    for (const { data } of this.#resampler.push(frame)) yield data
  }

  [Symbol.dispose]() {
    this.#resampler?.close()
  }
}

/** Copied: samples must begin at an even address, and the vendor may reuse the bytes. */
function samplesOf(pcm: Uint8Array): Int16Array {
  const samples = new Int16Array(Math.floor(pcm.length / bytesPerSample))
  Buffer.from(samples.buffer).set(pcm.subarray(0, samples.length * bytesPerSample))
  return samples
}

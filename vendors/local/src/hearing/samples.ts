import type { PcmFormat } from '../pcm-format.ts'

/** Turns the bytes of a stream into samples of one channel, whatever pieces they come in. */
export class SampleReader {
  readonly #format: PcmFormat
  #left: Uint8Array = new Uint8Array(0)

  constructor(format: PcmFormat) {
    this.#format = format
  }

  read(bytes: Uint8Array): Float32Array {
    const all = this.#left.length > 0 ? Buffer.concat([this.#left, bytes]) : bytes
    const { channels, encoding } = this.#format
    const sampleBytes = encoding === 's16' ? 2 : 4
    const frames = Math.floor(all.length / (channels * sampleBytes))
    const view = new DataView(all.buffer, all.byteOffset, all.byteLength)
    const samples = new Float32Array(frames)
    for (let frame = 0; frame < frames; frame += 1) {
      let sum = 0
      for (let channel = 0; channel < channels; channel += 1) {
        const at = (frame * channels + channel) * sampleBytes
        sum += encoding === 's16' ? view.getInt16(at, true) / 32_768 : view.getFloat32(at, true)
      }
      samples[frame] = Number.isFinite(sum) ? sum / channels : 0
    }
    this.#left = all.slice(frames * channels * sampleBytes)
    return samples
  }
}

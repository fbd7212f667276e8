import { Resampler, type ResamplerOptions } from './resampler.ts'

/** The 16-bit samples in these bytes, wherever in memory they begin. */
export function samplesOf(pcm: Uint8Array): Int16Array {
  const count = Math.floor(pcm.length / 2)
  const { buffer, byteOffset } = pcm.byteOffset % 2 === 0 ? pcm : new Uint8Array(pcm)
  return new Int16Array(buffer, byteOffset, count)
}

/** The bytes of these samples, little-endian as every platform of ours is. */
export const bytesOf = ({ buffer, byteOffset, byteLength }: Int16Array) =>
  new Uint8Array(buffer, byteOffset, byteLength)

/** Signed 16-bit little-endian mono at another rate, in whole samples. */
export class PcmResampler {
  readonly #resampler: Resampler

  constructor(from: number, to: number, options?: ResamplerOptions) {
    this.#resampler = new Resampler(from, to, options)
  }

  take(pcm: Uint8Array): Uint8Array {
    return bytesOf(this.#resampler.take(samplesOf(pcm)))
  }

  end(): Uint8Array {
    return bytesOf(this.#resampler.rest())
  }
}

import { PcmResampler } from '@switchroom/audio/pcm'

const full = 32_768
/** What sound is sampled at; a header that says otherwise lies, and would cost a filter as long as its lie. */
const rates = { lowest: 4_000, highest: 384_000 }
export const mostChannels = 32

/** One channel of 16-bit samples at one rate, of whatever a decoder gives. */
export class Mono {
  readonly #rate: number
  #from = 0
  #resampler: PcmResampler | undefined

  constructor(rate: number) {
    this.#rate = rate
  }

  take({
    channelData,
    sampleRate,
  }: {
    channelData: readonly Float32Array[]
    sampleRate: number
  }): Uint8Array {
    if (channelData.length === 0) return new Uint8Array(0)
    if (channelData.length > mostChannels)
      throw new Error(`${channelData.length} channels are too many: send one or two`)
    if (!(sampleRate >= rates.lowest && sampleRate <= rates.highest && Number.isInteger(sampleRate)))
      throw new Error(`nothing is sampled at ${sampleRate}`)
    const mixed = pcmOf(mixedDown(channelData))
    if (this.#resampler && sampleRate === this.#from) return this.#resampler.take(mixed)
    const last = this.end()
    this.#from = sampleRate
    this.#resampler = new PcmResampler(sampleRate, this.#rate)
    return Buffer.concat([last, this.#resampler.take(mixed)])
  }

  /** What is still inside when no more comes. */
  end(): Uint8Array {
    return this.#resampler?.end() ?? new Uint8Array(0)
  }
}

/** Loops, for hours of sound go through here. */
function mixedDown(channels: readonly Float32Array[]): Float32Array {
  const [first = new Float32Array(0)] = channels
  if (channels.length === 1) return first
  const mixed = new Float32Array(first.length)
  for (const channel of channels)
    for (let at = 0; at < mixed.length; at += 1) mixed[at] = (mixed[at] ?? 0) + (channel[at] ?? 0)
  for (let at = 0; at < mixed.length; at += 1) mixed[at] = (mixed[at] ?? 0) / channels.length
  return mixed
}

/** Signed 16-bit little-endian. */
function pcmOf(floats: Float32Array): Buffer {
  const bytes = Buffer.alloc(2 * floats.length)
  for (let at = 0; at < floats.length; at += 1) {
    const value = Math.round((floats[at] ?? 0) * full) || 0 // a decoder may make what is no number
    bytes.writeInt16LE(Math.max(-full, Math.min(full - 1, value)), 2 * at)
  }
  return bytes
}

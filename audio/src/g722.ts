import { type Band, highBand, lowBand } from './g722-band.ts'

/** Of the filter that halves the band (ITU-T G.722, table 11), every second weight from either end. */
const halfBand = Int32Array.of(3, -11, 12, 32, -210, 951, 3876, -805, 362, -156, 53, -11)
const taps = 24
/** So much is filtered before the window moves back to the beginning of its memory. */
const windowRoom = 960

/** The last samples that the filter reaches; the newest are at its end. */
class Window {
  readonly #samples = new Int32Array(taps + windowRoom)
  #end = taps

  /** Sums over every second sample, each half by itself: the first by the weights in order, the second in reverse. */
  even = 0
  odd = 0

  push(first: number, second: number): void {
    if (this.#end + 2 > this.#samples.length) {
      this.#samples.copyWithin(0, this.#end - taps, this.#end)
      this.#end = taps
    }
    const samples = this.#samples
    samples[this.#end] = first
    samples[this.#end + 1] = second
    this.#end += 2
    const begin = this.#end - taps
    let [even, odd] = [0, 0]
    for (let tap = 0; tap < taps / 2; tap += 1) {
      // within the window and the weights
      even += (samples[begin + 2 * tap] as number) * (halfBand[tap] as number)
      odd += (samples[begin + 2 * tap + 1] as number) * (halfBand[taps / 2 - 1 - tap] as number)
    }
    this.even = even
    this.odd = odd
  }
}

/** Sound of 16 kHz as G.722 at 64 kbit/s: a byte for each two samples. */
export class G722Encoder {
  readonly #window = new Window()
  readonly #low: Band = lowBand()
  readonly #high: Band = highBand()

  /** An odd sample at the end is left out. */
  encode(samples: Int16Array): Uint8Array {
    const coded = new Uint8Array(samples.length >> 1)
    for (let at = 0; at < coded.length; at += 1) {
      this.#window.push(samples[2 * at] as number, samples[2 * at + 1] as number) // within their length
      const { even, odd } = this.#window
      const low = this.#low.encode((odd + even) >> 14)
      const high = this.#high.encode((odd - even) >> 14)
      coded[at] = (high << 6) | low
    }
    return coded
  }
}

/** Every byte there is means something, so nothing that comes can be malformed. */
export class G722Decoder {
  readonly #window = new Window()
  readonly #low: Band = lowBand()
  readonly #high: Band = highBand()

  decode(coded: Uint8Array): Int16Array {
    const samples = new Int16Array(2 * coded.length)
    for (let at = 0; at < coded.length; at += 1) {
      const byte = coded[at] as number // within its length
      const low = this.#low.decode(byte & 63)
      const high = this.#high.decode(byte >> 6)
      this.#window.push(low + high, low - high)
      samples[2 * at] = clipped(this.#window.odd >> 11)
      samples[2 * at + 1] = clipped(this.#window.even >> 11)
    }
    return samples
  }
}

const clipped = (sample: number) => Math.max(-32_768, Math.min(32_767, sample))

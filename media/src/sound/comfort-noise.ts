const loudest = 32_767
/** A far end that says nothing of its level (RFC 3389) is about as quiet as a room. */
const usualLevel = 65

/** The quiet of a line that is open: noise as loud as the far end said its own is. */
export class ComfortNoise {
  #amplitude = 0
  #seed = 1

  /** From the first byte of a packet of comfort noise: how far below the loudest it is, in dB. */
  describe(payload: Uint8Array): void {
    const level = (payload[0] ?? usualLevel) & 0x7f
    // of numbers that are spread evenly the effective level is the greatest divided by the root of 3
    this.#amplitude = loudest * 10 ** (-Math.max(level, 30) / 20) * Math.sqrt(3)
  }

  make(count: number): Int16Array {
    const samples = new Int16Array(count)
    for (let at = 0; at < count; at += 1) {
      this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) | 0
      samples[at] = (this.#amplitude * this.#seed) / 2 ** 31
    }
    return samples
  }
}

/** Bits, the highest first, as a growing row of bytes. */
export class BitWriter {
  #bytes = new Uint8Array(4_096)
  #bits = 0

  /** Up to 32 bits of a number; what is above them is left out. */
  write(value: number, bits: number) {
    this.#reserve(bits)
    for (let left = bits; left > 0;) {
      const free = 8 - (this.#bits & 7)
      const taken = Math.min(free, left)
      const part = (value >>> (left - taken)) & ((1 << taken) - 1)
      const at = this.#bits >>> 3
      this.#bytes[at] = (this.#bytes[at] ?? 0) | (part << (free - taken))
      this.#bits += taken
      left -= taken
    }
  }

  /** So many zeros, and a one. */
  writeUnary(zeros: number) {
    this.#reserve(zeros + 1)
    this.#bits += zeros
    this.write(1, 1)
  }

  /** Zeros up to the next byte. */
  pad() {
    this.#bits = (this.#bits + 7) & ~7
  }

  /** What was written so far, of whole bytes. */
  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#bits >>> 3)
  }

  #reserve(bits: number) {
    const needed = ((this.#bits + bits) >>> 3) + 2
    if (needed <= this.#bytes.length) return
    const larger = new Uint8Array(Math.max(needed, 2 * this.#bytes.length))
    larger.set(this.#bytes)
    this.#bytes = larger
  }
}

const firstMs = 200
const longestMs = 15_000

/** How long to wait before the next try: about twice as long each time, and never the same for everybody. */
export class BackOff {
  #tries = 0

  nextMs(): number {
    const wholeMs = Math.min(longestMs, firstMs * 2 ** this.#tries)
    this.#tries += 1
    return wholeMs * (0.5 + Math.random() / 2)
  }

  reset(): void {
    this.#tries = 0
  }
}

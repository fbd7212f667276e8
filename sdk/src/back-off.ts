const firstMs = 200

/** How long to wait before the next try: about twice as long each time, with jitter. */
export class BackOff {
  readonly #longestMs: number
  #tries = 0

  constructor(longestMs = 15_000) {
    this.#longestMs = longestMs
  }

  nextMs(): number {
    const wholeMs = Math.min(this.#longestMs, firstMs * 2 ** this.#tries)
    this.#tries += 1
    return wholeMs * (0.5 + Math.random() / 2)
  }

  reset(): void {
    this.#tries = 0
  }
}

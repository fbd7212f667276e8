/** How much one source, and all of them together, may have at once. */
export const sipLimits = {
  /** Of any kind, from one source. */
  messagesPerS: 1_000,
  /** Requests outside of a call, from one source. */
  newRequestsPerS: 50,
  ringingOfSource: 250,
  ringing: 1_000,
  dialogs: 4_000,
  transactions: 20_000,
  connections: 1_000,
  connectionsOfSource: 64,
  sources: 10_000,
} as const

/** So many a second for each key, twice as many in a burst. */
export class TokenBuckets {
  readonly #perS: number
  readonly #buckets = new Map<string, { tokens: number; atMs: number }>()

  constructor(perS: number) {
    this.#perS = perS
  }

  take(key: string): boolean {
    const nowMs = performance.now()
    const most = this.#perS * 2
    const bucket = this.#buckets.get(key) ?? { tokens: most, atMs: nowMs }
    const tokens = Math.min(most, bucket.tokens + ((nowMs - bucket.atMs) / 1_000) * this.#perS)
    const isGiven = tokens >= 1
    this.#buckets.delete(key)
    this.#buckets.set(key, { tokens: isGiven ? tokens - 1 : tokens, atMs: nowMs })
    // The one that asked longest ago is forgotten first.
    if (this.#buckets.size > sipLimits.sources) this.#buckets.delete(this.#buckets.keys().next().value ?? key)
    return isGiven
  }
}

/** How many stand for each key. */
export class Counts {
  readonly #counts = new Map<string, number>()

  of(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  add(key: string): void {
    this.#counts.set(key, this.of(key) + 1)
  }

  remove(key: string): void {
    const left = this.of(key) - 1
    if (left > 0) this.#counts.set(key, left)
    else this.#counts.delete(key)
  }
}

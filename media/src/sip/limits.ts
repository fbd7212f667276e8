/** How much one source, and all of them together, may have at once. */
export const usualLimits = {
  /** Of any kind, from one source. */
  messagesPerS: 1_000,
  /** Requests outside of a call, from one source. */
  newRequestsPerS: 50,
  ringingOfSource: 250,
  ringing: 1_000,
  dialogs: 4_000,
  /** Answered, and not acknowledged yet. */
  unacknowledgedOfSource: 100,
  unacknowledged: 500,
  transactions: 20_000,
  /** Requests within one call that were answered and may still come again. */
  transactionsOfDialog: 200,
  connections: 1_000,
  connectionsOfSource: 64,
  /** Of TLS, from one source: each costs a signature. */
  handshakesPerS: 20,
  sources: 10_000,
}
export type SipLimits = typeof usualLimits

/** So many a second for each key, twice as many in a burst. */
export class TokenBuckets {
  readonly #perS: number
  readonly #mostKeys: number
  readonly #buckets = new Map<string, { tokens: number; atMs: number }>()

  constructor(perS: number, mostKeys = usualLimits.sources) {
    this.#perS = perS
    this.#mostKeys = mostKeys
  }

  take(key: string): boolean {
    const nowMs = performance.now()
    const tokens = this.#left(key, nowMs)
    const isGiven = tokens >= 1
    this.#buckets.delete(key)
    this.#buckets.set(key, { tokens: isGiven ? tokens - 1 : tokens, atMs: nowMs })
    // The one that asked longest ago is forgotten first.
    if (this.#buckets.size > this.#mostKeys) this.#buckets.delete(this.#buckets.keys().next().value ?? key)
    return isGiven
  }

  /** Whether it took so much of late that some may have been refused. */
  isSpent(key: string): boolean {
    return this.#left(key, performance.now()) < this.#perS
  }

  #left(key: string, nowMs: number): number {
    const most = this.#perS * 2
    const bucket = this.#buckets.get(key)
    return bucket ? Math.min(most, bucket.tokens + ((nowMs - bucket.atMs) / 1_000) * this.#perS) : most
  }
}

/** How many there are of each key. */
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

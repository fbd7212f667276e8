import { Counts, type SipLimits } from './limits.ts'

/**
 * Answered calls whose ACK has not come. A caller who hears the answer sends one within a round trip, a sender that
 * forged its address never does: past the limits the oldest makes room for the newest.
 */
export class Unacknowledged {
  readonly #limits: SipLimits
  readonly #waiting = new Set<{ source: string; drop: () => void }>()
  readonly #bySource = new Counts()

  constructor(limits: SipLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#waiting.size
  }

  /** Answers how to take it out again. */
  add(source: string, drop: () => void): () => void {
    if (this.#bySource.of(source) >= this.#limits.unacknowledgedOfSource) this.dropOldest(source)
    if (this.#waiting.size >= this.#limits.unacknowledged) this.dropOldest()
    const waiting = { source, drop }
    this.#waiting.add(waiting)
    this.#bySource.add(source)
    return () => this.#remove(waiting)
  }

  /** False when there is none. */
  dropOldest(source?: string): boolean {
    for (const waiting of this.#waiting) {
      if (source !== undefined && waiting.source !== source) continue
      this.#remove(waiting)
      waiting.drop()
      return true
    }
    return false
  }

  #remove(waiting: { source: string; drop: () => void }): void {
    if (this.#waiting.delete(waiting)) this.#bySource.remove(waiting.source)
  }
}

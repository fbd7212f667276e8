import type { Clock } from '../../foundation/clock.ts'

/** This many calls say something about a vendor; fewer may be chance. */
const tellingCalls = 5

interface HandedCall {
  handedAtMs: number
  failedAtMs?: number
}

/**
 * Which vendors fail just now, by what this process saw in the last two minutes: calls that were handed a
 * vendor first, and those of them that saw it fail. A restarted process has seen nothing.
 */
export class VendorWindow {
  readonly #clock: Clock
  readonly #windowMs: number
  readonly #calls = new Map<string, Map<string, HandedCall>>()

  constructor(clock: Clock, windowMs: number) {
    this.#clock = clock
    this.#windowMs = windowMs
  }

  /** A call was handed this vendor first of its default chain. */
  handed(vendor: string, call: string) {
    const calls = this.#calls.get(vendor) ?? new Map<string, HandedCall>()
    this.#calls.set(vendor, calls)
    this.#forgetOld(calls)
    if (!calls.has(call)) calls.set(call, { handedAtMs: this.#nowMs })
  }

  /** Such a call saw the vendor fail; of any other call nothing is counted. */
  failed(vendor: string, call: string) {
    const handed = this.#calls.get(vendor)?.get(call)
    if (handed) handed.failedAtMs ??= this.#nowMs
  }

  /** Half or more of at least five calls saw it fail. */
  isOverLine(vendor: string): boolean {
    const recent = [...(this.#calls.get(vendor)?.values() ?? [])].filter(({ handedAtMs }) =>
      this.#isRecent(handedAtMs),
    )
    const failed = recent.filter(({ failedAtMs }) => failedAtMs !== undefined && this.#isRecent(failedAtMs))
    return recent.length >= tellingCalls && 2 * failed.length >= recent.length
  }

  /** Healthy vendors in the row's order, then those over the line in the row's order. */
  ordered<Named extends { vendor: string }>(chain: readonly Named[]): Named[] {
    const { healthy = [], failing = [] } = Object.groupBy(chain, ({ vendor }) =>
      this.isOverLine(vendor) ? 'failing' : 'healthy',
    )
    return [...healthy, ...failing]
  }

  #forgetOld(calls: Map<string, HandedCall>) {
    for (const [call, { handedAtMs }] of calls) {
      if (this.#isRecent(handedAtMs)) return // the oldest come first
      calls.delete(call)
    }
  }

  #isRecent(atMs: number): boolean {
    return this.#nowMs - atMs < this.#windowMs
  }

  get #nowMs(): number {
    return this.#clock.now().getTime()
  }
}

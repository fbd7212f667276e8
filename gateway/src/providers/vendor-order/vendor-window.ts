import type { Clock } from '../../foundation/clock.ts'

/** Fewer calls than this say nothing about a vendor. */
const tellingCalls = 5

interface HandedCall {
  handedAtMs: number
  failedAtMs?: number
}

/** Recent calls that one reporter started on each vendor, and those that saw it fail. */
class Window {
  readonly #clock: Clock
  readonly #windowMs: number
  readonly #calls = new Map<string, Map<string, HandedCall>>()

  constructor(clock: Clock, windowMs: number) {
    this.#clock = clock
    this.#windowMs = windowMs
  }

  handed(vendor: string, call: string) {
    const calls = this.#calls.get(vendor) ?? new Map<string, HandedCall>()
    this.#calls.set(vendor, calls)
    this.#forgetOld(calls)
    if (!calls.has(call)) calls.set(call, { handedAtMs: this.#nowMs })
  }

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

  /** Drops what has left the window first. */
  isEmpty(): boolean {
    for (const [vendor, calls] of this.#calls) {
      this.#forgetOld(calls)
      if (calls.size === 0) this.#calls.delete(vendor)
    }
    return this.#calls.size === 0
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

/**
 * Which vendors fail now, from what this process saw in the last two minutes. The fleet's reports of calls on the
 * platform's keys count for every org; an org's reports and its own keys count for that org only. A restarted process
 * starts empty.
 */
export class VendorWindow {
  readonly #clock: Clock
  readonly #windowMs: number
  readonly #platform: Window
  readonly #byOrg = new Map<string, Window>()
  #sweptAtMs = 0

  constructor(clock: Clock, windowMs: number) {
    this.#clock = clock
    this.#windowMs = windowMs
    this.#platform = new Window(clock, windowMs)
  }

  /** A call started on this vendor, the first of its default chain; with an org, it counts for that org only. */
  handed(vendor: string, call: string, org?: string) {
    const window = org === undefined ? this.#platform : this.#windowOf(org)
    window.handed(vendor, call)
  }

  /** Such a call saw the vendor fail; other calls are not counted. */
  failed(vendor: string, call: string, org?: string) {
    const window = org === undefined ? this.#platform : this.#byOrg.get(org)
    window?.failed(vendor, call)
  }

  isOverLine(vendor: string, org?: string): boolean {
    return this.#platform.isOverLine(vendor) || (org !== undefined && this.#isOverLineOf(org, vendor))
  }

  /** Healthy vendors in the row's order, then failing ones in the row's order. */
  ordered<Named extends { vendor: string }>(chain: readonly Named[], org?: string): Named[] {
    const { healthy = [], failing = [] } = Object.groupBy(chain, ({ vendor }) =>
      this.isOverLine(vendor, org) ? 'failing' : 'healthy',
    )
    return [...healthy, ...failing]
  }

  #isOverLineOf(org: string, vendor: string): boolean {
    return this.#byOrg.get(org)?.isOverLine(vendor) === true
  }

  #windowOf(org: string): Window {
    this.#sweep()
    const window = this.#byOrg.get(org) ?? new Window(this.#clock, this.#windowMs)
    this.#byOrg.set(org, window)
    return window
  }

  /** Once in a window, so that orgs without calls are dropped. */
  #sweep() {
    const nowMs = this.#clock.now().getTime()
    if (nowMs - this.#sweptAtMs < this.#windowMs) return
    this.#sweptAtMs = nowMs
    for (const [org, window] of this.#byOrg) if (window.isEmpty()) this.#byOrg.delete(org)
  }
}

import type { StreamFlow } from './flow.ts'

/** Keeps a connection that we opened from being forgotten on its way, and notices that it was (RFC 5626 4.4.1). */
export class KeepAlive {
  readonly #flow: StreamFlow
  readonly #timer: NodeJS.Timeout
  /** Not every far end answers a ping: only one that did once must go on. */
  #isAnswering = false
  #isAwaited = false

  constructor(flow: StreamFlow, everyMs: number, longestUnusedMs: number) {
    this.#flow = flow
    this.#timer = setInterval(() => this.#check(longestUnusedMs), everyMs).unref()
  }

  onPong(): void {
    this.#isAnswering = true
    this.#isAwaited = false
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #check(longestUnusedMs: number): void {
    const isDead = this.#isAwaited && this.#isAnswering
    const unusedMs = performance.now() - this.#flow.usedAtMs
    if (isDead || unusedMs > longestUnusedMs) return this.#flow.destroy()
    this.#isAwaited = true
    return this.#flow.ping()
  }
}

const everyMs = 20
/** Less is an ordinary turn of the scheduler. */
const shortestMs = 100

/** Notices when the machine gives this process, which does next to nothing, no time: what plays in real time is late then. */
export class StallMeter {
  readonly #stalls: { endedAt: number; ms: number }[] = []
  readonly #timer: NodeJS.Timeout
  #expectedAt = performance.now() + everyMs

  constructor() {
    this.#timer = setInterval(() => this.#look(), everyMs).unref()
  }

  /** The longest one since that time, in ms. */
  longestSince(startedAt: number): number {
    this.#look() // it may end right now
    const stalls = this.#stalls.filter(({ endedAt }) => endedAt >= startedAt)
    return Math.max(0, ...stalls.map(({ ms }) => ms))
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const now = performance.now()
    const ms = Math.round(now - this.#expectedAt)
    if (ms >= shortestMs) this.#stalls.push({ endedAt: now, ms })
    this.#expectedAt = now + everyMs
  }
}

const lookEveryMs = 10
/** Later than this, and nothing ran in between. */
const shortestMs = 100

/** When this process stood still, with the whole machine or for want of a core: what it waited for then may have been there. */
export class Stalls implements Disposable {
  readonly #stalls: { fromMs: number; toMs: number }[] = []
  readonly #timer: NodeJS.Timeout
  #lookedMs = performance.now()

  constructor() {
    this.#timer = setInterval(() => this.#look(), lookEveryMs)
  }

  get longestMs(): number {
    return Math.max(0, ...this.#stalls.map(({ fromMs, toMs }) => toMs - fromMs))
  }

  get count(): number {
    return this.#stalls.length
  }

  /** How much of this time it stood still. */
  within(fromMs: number, toMs: number): number {
    this.#look()
    return this.#stalls.reduce(
      (sum, stall) => sum + Math.max(0, Math.min(toMs, stall.toMs) - Math.max(fromMs, stall.fromMs)),
      0,
    )
  }

  #look() {
    const nowMs = performance.now()
    if (nowMs - this.#lookedMs > shortestMs) this.#stalls.push({ fromMs: this.#lookedMs, toMs: nowMs })
    this.#lookedMs = nowMs
  }

  [Symbol.dispose]() {
    clearInterval(this.#timer)
  }
}

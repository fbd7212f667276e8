/** What a timer can wait; a longer one would ring at once. */
const longestMs = 2 ** 31 - 1

/** Aborts its signal once the time is over, unless it is stopped or started again before. */
export class Deadline implements Disposable {
  readonly #controller = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #endsAtMs = 0

  constructor(ms: number | null) {
    if (ms !== null) this.start(ms)
  }

  start(ms: number) {
    this.stop()
    this.#endsAtMs = performance.now() + ms
    this.#timer = setTimeout(() => this.#controller.abort(), Math.min(ms, longestMs))
  }

  stop() {
    clearTimeout(this.#timer)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get isOver(): boolean {
    return this.signal.aborted
  }

  get leftMs(): number {
    return Math.max(0, this.#endsAtMs - performance.now())
  }

  [Symbol.dispose]() {
    this.stop()
  }
}

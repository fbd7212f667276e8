import { setTimeout as sleep } from 'node:timers/promises'

export interface BackoffOptions {
  firstMs: number
  longestMs: number
}

/** Pauses between attempts, each twice as long as the one before. */
export class Backoff {
  readonly #options: BackoffOptions
  #nextMs: number

  constructor(options: BackoffOptions) {
    this.#options = options
    this.#nextMs = options.firstMs
  }

  get nextMs(): number {
    return this.#nextMs
  }

  /** Ends early when the signal aborts. A wait does not keep the process alive by itself. */
  async wait(signal?: AbortSignal): Promise<void> {
    const ms = this.#nextMs
    this.#nextMs = Math.min(2 * ms, this.#options.longestMs)
    await sleep(ms, undefined, { ref: false, ...(signal && { signal }) }).catch(() => {})
  }
}

export interface RetryOptions extends BackoffOptions {
  /** No attempt begins later than this after the first one. */
  forMs: number
  isRetryable(error: unknown): boolean
}

/** Attempts it until it succeeds, fails for good, or takes too long. */
export async function retry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const beganMs = performance.now()
  const backoff = new Backoff(options)
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      const isLate = performance.now() - beganMs + backoff.nextMs > options.forMs
      if (isLate || !options.isRetryable(error)) throw error
      await backoff.wait()
    }
  }
}

/** One wait for a wake-up. */
export interface Wakeup {
  /** Whether it came before this time was over and before the signal. */
  within(ms: number, signal: AbortSignal): Promise<boolean>
}

/** Requests that wait for an event, by key. */
export class Wakeups {
  readonly #pending = new Map<string, PromiseWithResolvers<void>>()
  #waiting = 0

  /** From now on: an event before `within` is called is not missed. */
  next(key: string): Wakeup {
    const pending = this.#pending.get(key) ?? Promise.withResolvers<void>()
    this.#pending.set(key, pending)
    return {
      within: (ms, signal) => {
        this.#waiting += 1
        return firstOf(pending.promise, ms, signal).finally(() => (this.#waiting -= 1))
      },
    }
  }

  get isAwaited(): boolean {
    return this.#waiting > 0
  }

  wake(key: string) {
    this.#pending.get(key)?.resolve()
    this.#pending.delete(key)
  }

  wakeAll() {
    for (const key of this.#pending.keys()) this.wake(key)
  }
}

async function firstOf(woken: Promise<void>, ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const stop = () => resolve(false)
  const timer = setTimeout(stop, ms)
  signal.addEventListener('abort', stop)
  const isWoken = await Promise.race([woken.then(() => true), promise])
  clearTimeout(timer)
  signal.removeEventListener('abort', stop)
  return isWoken
}

/** Somebody who waits to be woken. */
export interface Woken {
  /** Answers whether it was woken before this time was over and before the signal came. */
  within(ms: number, signal: AbortSignal): Promise<boolean>
}

/** Those who wait for something to happen elsewhere. */
export class Wakeups {
  readonly #wakings = new Map<string, PromiseWithResolvers<void>>()

  /** From now on: what happens before it is waited for is not missed. */
  next(key: string): Woken {
    const waking = this.#wakings.get(key) ?? Promise.withResolvers<void>()
    this.#wakings.set(key, waking)
    return { within: (ms, signal) => firstOf(waking.promise, ms, signal) }
  }

  wake(key: string) {
    this.#wakings.get(key)?.resolve()
    this.#wakings.delete(key)
  }

  wakeAll() {
    for (const key of this.#wakings.keys()) this.wake(key)
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

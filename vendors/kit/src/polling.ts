import { setTimeout as sleep } from 'node:timers/promises'

const firstWaitMs = 250
const longestWaitMs = 3_000
const growth = 1.5

/** Looks again and again, ever less often, until there is something to see. */
export async function polled<T>(look: () => Promise<T | undefined>, signal: AbortSignal): Promise<T> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * growth, longestWaitMs)) {
    const seen = await look()
    if (seen !== undefined) return seen
    await sleep(waitMs, undefined, { signal })
  }
}

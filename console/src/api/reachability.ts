import { useSyncExternalStore } from 'react'

/** When the gateway was last reached, if it cannot be reached now; null while it can. */
let lostAt: Date | null = null
let reachedAt = new Date()
let probing = false
const listeners = new Set<() => void>()

const everyMs = 2000
const patienceMs = 5000
const probe = '/.well-known/svc'
/** What a proxy answers for a gateway that is not there. */
const awayStatuses: ReadonlySet<number> = new Set([502, 503, 504])

export function useLostConnection(): Date | null {
  return useSyncExternalStore(onReachability, () => lostAt)
}

export function onReachability(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const isReachable = (): boolean => lostAt === null

/** An answer of the gateway came. */
export function reached(): void {
  reachedAt = new Date()
  if (lostAt !== null) become(null)
}

/** A request failed: the gateway is asked again and again, and is away once it does not answer that either. */
export function failed(): void {
  if (probing) return
  probing = true
  void untilReached().finally(() => (probing = false))
}

async function untilReached(): Promise<void> {
  for (;;) {
    try {
      const answer = await fetch(probe, { cache: 'no-store', signal: AbortSignal.timeout(patienceMs) })
      if (!awayStatuses.has(answer.status)) return reached()
    } catch {
      // asked again below
    }
    if (lostAt === null) become(reachedAt)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}

function become(next: Date | null): void {
  lostAt = next
  for (const listener of listeners) listener()
}

globalThis.addEventListener('offline', failed)

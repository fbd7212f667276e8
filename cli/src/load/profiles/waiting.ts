import { setTimeout as sleep } from 'node:timers/promises'

/** Undefined if it takes longer, or the run ends before. */
export async function within<Answer>(
  answer: Promise<Answer>,
  ms: number,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const enough = new AbortController()
  try {
    const either = AbortSignal.any([signal, enough.signal])
    return await Promise.race([answer, sleep(ms, undefined, { signal: either }).catch(() => undefined)])
  } finally {
    enough.abort()
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import { DatabaseUnavailable } from './database.ts'
import type { DirectConnection } from './direct-connection.ts'
import {
  takenOf,
  tryText,
  unlockText,
  type LockSession,
  type TriedLock,
  type WithLockSession,
} from './lock-session.ts'

const againAfterMs = 100

/**
 * Sessions that share the gateway's own connection: a pooler keeps no lock after a transaction. The connection must
 * not wait, because it carries notices too, so a lock is tried for again and again.
 */
export function directLockSessions(direct: DirectConnection, longestWaitMs: number): WithLockSession {
  /** Names that a task of this process has: PostgreSQL would give the same session a lock twice. */
  const taken = new Set<string>()

  return async (work) => {
    const session = direct.session
    if (!session) throw new DatabaseUnavailable('the connection that holds locks is lost')
    const own = new Set<string>()

    const tryToTake = async (names: readonly string[]) => {
      const wanted = names.filter((name) => !taken.has(name))
      for (const name of wanted) taken.add(name)
      const free = await session.query<TriedLock>(tryText, [wanted]).then(takenOf, (error: unknown) => {
        for (const name of wanted) taken.delete(name)
        throw error
      })
      for (const name of wanted) if (!free.includes(name)) taken.delete(name)
      for (const name of free) own.add(name)
      return free
    }
    const locks: LockSession = {
      tryToTake,
      async take(name) {
        const deadlineMs = performance.now() + longestWaitMs
        for (; (await tryToTake([name])).length === 0; await pause(againAfterMs))
          if (performance.now() > deadlineMs) return false
        return true
      },
      async release(names) {
        const held = names.filter((name) => own.has(name))
        await session.query(unlockText, [held]).catch(() => {}) // lost with the connection
        for (const name of held) {
          own.delete(name)
          taken.delete(name)
        }
      },
    }
    try {
      return await work(locks)
    } finally {
      await locks.release([...own])
    }
  }
}

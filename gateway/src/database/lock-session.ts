/** Locks by name that one session of PostgreSQL has: PostgreSQL releases them with the session, and so with its gateway. */
export interface LockSession {
  /** False if it took too long. */
  take(name: string): Promise<boolean>
  /** Without waiting; answers those that were free. */
  tryToTake(names: readonly string[]): Promise<string[]>
  release(names: readonly string[]): Promise<void>
}

/** Runs work with a session, and releases whatever it still has after it. */
export type WithLockSession = <T>(work: (session: LockSession) => Promise<T>) => Promise<T>

export const lockText = 'select pg_advisory_lock(hashtextextended($1, 0))'
export const unlockText =
  'select pg_advisory_unlock(hashtextextended(name, 0)) from unnest($1::text[]) as name'
export const tryText =
  'select name, pg_try_advisory_lock(hashtextextended(name, 0)) as taken from unnest($1::text[]) as name'

/** What the statement above answers. */
export interface TriedLock {
  name: string
  taken: boolean
}

export const takenOf = (tried: readonly TriedLock[]) =>
  tried.flatMap(({ name, taken }) => (taken ? [name] : []))

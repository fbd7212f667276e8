import type { PoolClient, QueryConfig } from 'pg'
import { secondMs } from '../foundation/clock.ts'
import type { Database } from './database.ts'
import {
  lockText,
  takenOf,
  tryText,
  unlockText,
  type LockSession,
  type TriedLock,
  type WithLockSession,
} from './lock-session.ts'

/** A connection that a network has silenced must not keep its place among the few for ever. */
const answeredAfterMs = 5 * secondMs

/** Sessions that are connections of a pool, which do nothing else meanwhile. */
export function lentLockSessions(database: Database, longestWaitMs: number): WithLockSession {
  const timed = (
    text: string,
    ...values: (string | readonly string[])[]
  ): QueryConfig & { query_timeout: number } => ({
    text,
    values,
    query_timeout: longestWaitMs + answeredAfterMs,
  })

  const sessionOn = (client: PoolClient): LockSession => ({
    async take(name) {
      try {
        await client.query(timed(lockText, name))
        return true
      } catch (error) {
        if ((error as { code?: string }).code === '57014') return false
        throw error
      }
    },
    async tryToTake(names) {
      return takenOf((await client.query<TriedLock>(timed(tryText, names))).rows)
    },
    async release(names) {
      await client.query(timed(unlockText, names)).catch(() => {}) // lost with it
    },
  })

  return async (work) => {
    const client = await database.pool.connect()
    let broken = false
    try {
      await client.query(timed(`set statement_timeout = ${longestWaitMs}`))
      return await work(sessionOn(client))
    } finally {
      const givenBack = client.query(timed('select pg_advisory_unlock_all(); reset statement_timeout'))
      await givenBack.catch(() => (broken = true))
      client.release(broken)
    }
  }
}

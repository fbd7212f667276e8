import { setTimeout as pause } from 'node:timers/promises'
import { DatabaseError, type PoolClient } from 'pg'

export interface BriefLockTiming {
  /** Requests that need the same table wait behind one that waits for its lock, and so no longer than this. */
  lockedWithinMs: number
  /** Between two tries, in which others get theirs. */
  pauseMs: number
  tries: number
}

const usualTiming: BriefLockTiming = { lockedWithinMs: 200, pauseMs: 1_000, tries: 60 }

const lockedOut = new Set(['55P03', '40P01'])

/** A statement that locks a table in use, in a transaction of its own; undefined if others held the table at each try. */
export async function withBriefLocks<Row>(
  client: PoolClient,
  text: string,
  signal: AbortSignal,
  { lockedWithinMs, pauseMs, tries }: BriefLockTiming = usualTiming,
): Promise<Row | undefined> {
  for (let attempt = 1; !signal.aborted && attempt <= tries; attempt += 1) {
    if (attempt > 1) await pause(pauseMs, undefined, { signal }).catch(() => {})
    await client.query(`begin; set local lock_timeout = ${lockedWithinMs}`)
    try {
      const { rows } = await client.query(text)
      await client.query('commit')
      return rows[0] as Row
    } catch (error) {
      await client.query('rollback')
      if (!(error instanceof DatabaseError) || !lockedOut.has(error.code ?? '')) throw error
    }
  }
  return undefined
}

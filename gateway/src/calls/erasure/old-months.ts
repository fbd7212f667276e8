import { withBriefLocks, type BriefLockTiming } from '../../database/brief-locks.ts'
import type { Database } from '../../database/database.ts'
import { dayMs, later } from '../../foundation/clock.ts'
import { endOf, noMonth } from '../log/months.ts'
import * as store from './old-months.store.ts'

const logsAtOnce = 100

/** What is kept for at least so long is dropped with its month, up to a month later; else it is deleted at once. */
const droppedFromMs = 90 * dayMs

/** The first month whose entries are left to be dropped with it; null if all are deleted. */
export const leftFrom = (keptMs: number) => (keptMs < droppedFromMs ? null : noMonth + 1)

/** A call that is longer than this outlives its month if it is opened at the end of it. */
const usuallyEndedWithinMs = dayMs

/**
 * Drops the months of which all logs ended before then, but for those of calls that took very long: these are moved
 * first. Answers which months.
 */
export async function dropMonths(
  database: Database,
  before: Date,
  signal: AbortSignal,
  timing?: BriefLockTiming,
): Promise<number[]> {
  const dropped: number[] = []
  for (const month of await store.listMonths(database)) {
    if (later(endOf(month), usuallyEndedWithinMs) > before) break
    await moveLogs(database, month, signal)
    if (await dropMonth(database, month, signal, timing)) dropped.push(month)
  }
  return dropped
}

async function moveLogs(database: Database, month: number, signal: AbortSignal) {
  while (!signal.aborted)
    if ((await database.transaction((tx) => store.moveSome(tx, month, logsAtOnce))) === 0) return
}

/** Not if a writer holds one of its logs, or others its tables: it waits for the next run. */
async function dropMonth(
  database: Database,
  month: number,
  signal: AbortSignal,
  timing: BriefLockTiming | undefined,
): Promise<boolean> {
  const client = await database.pool.connect()
  let isBroken = true
  try {
    const text = `select drop_entries_month(${month}) as "isDropped"`
    const answer = await withBriefLocks<{ isDropped: boolean }>(client, text, signal, timing)
    isBroken = false
    return answer?.isDropped ?? false
  } finally {
    client.release(isBroken)
  }
}

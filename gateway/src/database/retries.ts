import { setTimeout as pause } from 'node:timers/promises'
import { DatabaseError } from 'pg'
import { conflict, unavailable, type Refusal } from '../foundation/refusals.ts'

const mostAttempts = 6
const [leastWaitMs, mostWaitMs] = [5, 50]

const [deadlock, serializationFailure] = ['40P01', '40001']
const [foreignKeyViolation, uniqueViolation] = ['23503', '23505']

const hasCode = (error: unknown, ...codes: string[]) =>
  error instanceof DatabaseError && error.code !== undefined && codes.includes(error.code)

/** PostgreSQL undid the work because of what others did at the same moment: done again, it may succeed. */
const isUndone = (error: unknown) => hasCode(error, deadlock, serializationFailure)

/** How long to wait before such work is done again; undefined if it is not to be. */
export function againAfterMs(error: unknown, attempt: number): number | undefined {
  if (attempt >= mostAttempts || !isUndone(error)) return undefined
  return attempt * (leastWaitMs + Math.random() * (mostWaitMs - leastWaitMs))
}

/** Does the work again while PostgreSQL undoes it for the sake of others. The work keeps nothing from an attempt that failed. */
export async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await work()
    } catch (error) {
      const afterMs = againAfterMs(error, attempt)
      if (afterMs === undefined) throw error
      await pause(afterMs)
    }
}

/** What to answer if the work of others came in between and no rule has a sentence of its own for it. */
export function refusalOfRace(error: unknown): Refusal | undefined {
  if (isUndone(error))
    return unavailable('too many requests change the same thing now: try again in a second', 1)
  // What was named is gone since it was read, or what was free is taken.
  if (hasCode(error, foreignKeyViolation, uniqueViolation))
    return conflict(
      'another request changed what this one names at the same moment: read it again and repeat',
    )
  return undefined
}

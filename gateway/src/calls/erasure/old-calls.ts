import { inBatches } from '../../database/batches.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Lives } from '../../database/lives.ts'
import { later, type Clock } from '../../foundation/clock.ts'
import * as store from './old-calls.store.ts'

export type { DeletedCall } from './old-calls.store.ts'

const callsAtOnce = 100

/** Deletes what other rooms list of these calls, if they have no younger call with the same contact. */
export type ForgetThreads = (
  tx: Transaction,
  calls: readonly store.DeletedCall[],
  before: Date,
) => Promise<unknown>

export interface OldCallsParts {
  database: Database
  clock: Clock
  lives: Pick<Lives, 'keptMs'>
  forgetThreads: ForgetThreads
}

/** Deletes records of calls that ended before the operator's retention time, once their logs are deleted. */
export class OldCalls {
  readonly #parts: OldCallsParts

  constructor(parts: OldCallsParts) {
    this.#parts = parts
  }

  /** Answers how many records were deleted. */
  async forget(signal: AbortSignal): Promise<number> {
    const { database, clock, lives, forgetThreads } = this.#parts
    const keptMs = await lives.keptMs('calls')
    if (keptMs === undefined) return 0
    const before = later(clock.now(), -keptMs)
    return inBatches(signal, () =>
      database.transaction(async (tx) => {
        const deleted = await store.deleteSome(tx, before, callsAtOnce)
        if (deleted.length > 0) await forgetThreads(tx, deleted, before)
        return deleted.length
      }),
    )
  }
}

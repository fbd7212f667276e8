import type { Database } from '../../database/database.ts'
import { later, type Clock } from '../../foundation/clock.ts'
import type { Recordings } from '../recordings/recordings.ts'
import * as store from './old-logs.store.ts'

const callsAtOnce = 100

/** Deletes logs of calls that ended before the operator's retention time. */
export class OldLogs {
  readonly #database: Database
  readonly #clock: Clock
  /** Undefined: without a limit. */
  readonly #keptMs: number | undefined
  readonly #recordings: Pick<Recordings, 'remove'>

  constructor(
    database: Database,
    clock: Clock,
    keptMs: number | undefined,
    recordings: Pick<Recordings, 'remove'>,
  ) {
    this.#database = database
    this.#clock = clock
    this.#keptMs = keptMs
    this.#recordings = recordings
  }

  /** In batches, so that no writer waits for long; answers how many entries were deleted. */
  async forget(signal: AbortSignal): Promise<number> {
    if (this.#keptMs === undefined) return 0
    const before = later(this.#clock.now(), -this.#keptMs)
    for (let gone = 0; ;) {
      if (signal.aborted) return gone
      const { calls, entries } = await this.#database.transaction(async (tx) => {
        const forgotten = await store.deleteSome(tx, before, callsAtOnce)
        await this.#recordings.remove(tx, forgotten.calls)
        return forgotten
      })
      gone += entries
      if (calls.length === 0) return gone
    }
  }
}

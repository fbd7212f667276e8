import type { Database } from '../../database/database.ts'
import { later, type Clock } from '../../foundation/clock.ts'
import type { Recordings } from '../recordings/recordings.ts'
import { dropMonths, leftFrom } from './old-months.ts'
import * as store from './old-logs.store.ts'

const callsAtOnce = 100

/** Deletes logs of calls that ended before the operator's retention time, or drops them with their month. */
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

  /** Answers how many entries nothing reads any more. */
  async forget(signal: AbortSignal): Promise<number> {
    if (this.#keptMs === undefined) return 0
    const before = later(this.#clock.now(), -this.#keptMs)
    const gone = await this.#forgetCalls(before, leftFrom(this.#keptMs), signal)
    await dropMonths(this.#database, before, signal)
    return gone
  }

  /** In batches, so that no writer waits for long. */
  async #forgetCalls(before: Date, leftFromMonth: number | null, signal: AbortSignal): Promise<number> {
    for (let gone = 0; ;) {
      if (signal.aborted) return gone
      const { calls, entries } = await this.#database.transaction(async (tx) => {
        const forgotten = await store.deleteSome(tx, before, callsAtOnce, leftFromMonth)
        await this.#recordings.remove(tx, forgotten.calls)
        return forgotten
      })
      gone += entries
      if (calls.length === 0) return gone
    }
  }
}

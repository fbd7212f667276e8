import type { Database } from '../../database/database.ts'
import { later, type Clock } from '../../foundation/clock.ts'
import type { Recordings } from '../recordings/recordings.ts'
import * as store from './old-logs.store.ts'

const callsAtOnce = 100

/** Logs of calls that ended long ago, where the operator keeps them for some time only. */
export class OldLogs {
  readonly #database: Database
  readonly #clock: Clock
  /** Undefined: for ever. */
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

  /** Some calls at a time, so that nobody waits for it; answers how many entries are gone. */
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

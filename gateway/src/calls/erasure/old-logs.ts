import type { Database } from '../../database/database.ts'
import { later, type Clock } from '../../foundation/clock.ts'
import * as store from './old-logs.store.ts'

const callsAtOnce = 100

/** Logs of calls that ended long ago, where the operator keeps them for some time only. */
export class OldLogs {
  readonly #database: Database
  readonly #clock: Clock
  /** Undefined: for ever. */
  readonly #keptMs: number | undefined

  constructor(database: Database, clock: Clock, keptMs: number | undefined) {
    this.#database = database
    this.#clock = clock
    this.#keptMs = keptMs
  }

  /** Some calls at a time, so that nobody waits for it; answers how many entries are gone. */
  async forget(signal: AbortSignal): Promise<number> {
    if (this.#keptMs === undefined) return 0
    const before = later(this.#clock.now(), -this.#keptMs)
    for (let gone = 0; ;) {
      if (signal.aborted) return gone
      const { calls, entries } = await this.#database.transaction((tx) =>
        store.forgetSome(tx, before, callsAtOnce),
      )
      gone += entries
      if (calls === 0) return gone
    }
  }
}

import type { Database } from '../../database/database.ts'
import { later, minuteMs, type Clock } from '../../foundation/clock.ts'
import * as store from './numbers.store.ts'

/** Numbers, and the agent that answers at each. */
export class Numbers {
  readonly #database: Database
  readonly #clock: Clock

  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  /** Whichever org it belongs to. */
  routeOf(number: string): Promise<store.NumberRow | undefined> {
    return store.findNumber(this.#database, number)
  }

  /** A call came to it; written down at most once a minute. */
  async reached(number: string) {
    const now = this.#clock.now()
    await store.setLastCall(this.#database, number, now, later(now, -minuteMs))
  }
}

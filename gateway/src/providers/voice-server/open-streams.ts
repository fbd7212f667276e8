import type { Database, Queryable, Transaction } from '../../database/database.ts'
import { later, secondMs, type Clock } from '../../foundation/clock.ts'
import { tooMany } from '../../foundation/refusals.ts'
import * as store from './grants.store.ts'

/** A voice server asks every 30 seconds about the streams it has open. */
export const unseenMs = 90 * secondMs
const retryAfterS = 5

/** How many streams a key has open over all voice servers. */
export class OpenStreams {
  readonly #database: Database
  readonly #clock: Clock
  readonly #most: number

  constructor(database: Database, clock: Clock, most: number) {
    this.#database = database
    this.#clock = clock
    this.#most = most
  }

  async refuseOneMore(keyId: string, database: Queryable = this.#database) {
    const open = await store.countStreams(database, keyId, later(this.#clock.now(), -unseenMs))
    if (open >= this.#most)
      throw tooMany(
        `this key has ${this.#most} live transcriptions open: end one before the next`,
        retryAfterS,
      )
  }

  /** Admits a stream that is stored in the same transaction. */
  async claim(tx: Transaction, keyId: string) {
    await store.lockStreams(tx, keyId)
    await this.refuseOneMore(keyId, tx)
  }
}

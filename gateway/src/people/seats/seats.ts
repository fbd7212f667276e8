import type { Database, Queryable, Transaction } from '../../database/database.ts'
import { entryInto } from './entrance.ts'
import * as store from './seats.store.ts'

export type { Seat } from './seats.store.ts'

/** The seats of a person in every org, and walking into one. */
export class Seats {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Oldest first. */
  of(email: string, database: Queryable = this.#database): Promise<store.Seat[]> {
    return store.seatsOf(database, email)
  }

  /** Judged again under the seat's lock; an invited seat is taken. Undefined when the row is gone by then. */
  async enter(tx: Transaction, { id, email }: store.Seat): Promise<store.Seat | undefined> {
    await store.lockSeat(tx, id)
    const seat = (await store.seatsOf(tx, email)).find((row) => row.id === id)
    if (seat && entryInto(seat) === 'take seat') await store.takeSeat(tx, id)
    return seat
  }
}

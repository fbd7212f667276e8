import { actingPerson, recordAudit } from '../../audit/recording.ts'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import { entryInto } from './sign-in-eligibility.ts'
import * as store from './seats.store.ts'

export type { Seat } from './seats.store.ts'

/** A person's seats in every org, and sign-in to one of them. */
export class Seats {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Oldest first. */
  of(email: string, database: Queryable = this.#database): Promise<store.Seat[]> {
    return store.seatsOf(database, email)
  }

  /** Checks again under the seat's lock; accepts an invited seat. Undefined if the row was deleted meanwhile. */
  async enter(tx: Transaction, { id, email }: store.Seat, from: string): Promise<store.Seat | undefined> {
    await store.lockSeat(tx, id)
    const seat = (await store.seatsOf(tx, email)).find((row) => row.id === id)
    if (!seat || entryInto(seat) !== 'take seat') return seat
    await store.takeSeat(tx, id)
    const { org, name, role } = seat
    const by = actingPerson({ id, org, name, email }, from)
    const target = { kind: 'member', id, label: email } as const
    await recordAudit(tx, by, 'member.joined', target, { detail: { by: 'sign-in', role } })
    return seat
  }
}

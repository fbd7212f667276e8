import { actingPerson, recordAudit } from '../../audit/recording.ts'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import { entryInto } from './sign-in-eligibility.ts'
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

import type { DialPage, DialsAsked } from '@switchroom/contract/dialling'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { cursorOf, placeIn } from '../../foundation/cursors.ts'
import * as store from './ledger.store.ts'

const pageSize = 100

/** Every dial that was asked for, taken or refused; rows are never changed. */
export class DialLedger {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async list({ org, env }: Caller, { after }: DialsAsked): Promise<DialPage> {
    const before = after === undefined ? null : placeIn(after, 'whole')[0]
    const found = await store.listDials(this.#database, org, env, before, pageSize + 1)
    const dials = found.slice(0, pageSize)
    const last = dials.at(-1)
    return { dials, next: last && found.length > pageSize ? cursorOf(last.ordinal) : null }
  }
}

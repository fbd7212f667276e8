import type { Learned } from '@switchroom/session/memory'
import type { Fact } from '@switchroom/session/parts'
import type { Transaction, Database } from '../../database/database.ts'
import type { Clock } from '../../foundation/clock.ts'
import * as store from './memories.store.ts'
import type { WrittenHead } from './running.store.ts'

/** What agents know of their contacts from earlier calls. */
export class Memories {
  readonly #database: Database
  readonly #clock: Clock

  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  async factsOf({ contact, ...head }: WrittenHead): Promise<Fact[]> {
    return contact === null ? [] : store.readFacts(this.#database, { ...head, contact })
  }

  /** In the transaction that writes the same into the call's log. */
  async keepIn(tx: Transaction, head: WrittenHead, { contact, ops }: Learned) {
    const whose = { ...head, contact }
    const gone = ops.flatMap((op) => (op.op === 'add' ? [] : [op.op === 'update' ? op.supersedes : op.id]))
    await store.deleteFacts(tx, whose, gone)
    const learned = ops.flatMap((op) => (op.op === 'delete' ? [] : [{ id: op.id, text: op.text }]))
    await store.keepFacts(tx, whose, learned, this.#clock.now())
  }
}

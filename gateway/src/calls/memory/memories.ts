import { learn, type Learned, type MemoryParts } from '@switchroom/session/memory'
import type { Fact } from '@switchroom/session/parts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { Log } from '../log/log.ts'
import { callLog } from '../log/entries.ts'
import * as store from './memories.store.ts'
import type { Remembered } from './memories.store.ts'

export interface MemoriesParts {
  database: Database
  clock: Clock
  log: Log
  /** This gateway's name. */
  gateway: string
}

/** The call's agent and its contact; null if the contact is unknown. */
type Remembering = Omit<Remembered, 'contact'> & { contact: string | null }

/** Facts that agents remember about their contacts from earlier calls. */
export class Memories {
  readonly #parts: MemoriesParts

  constructor(parts: MemoriesParts) {
    this.#parts = parts
  }

  async factsOf({ org, env, agent, contact }: Remembering): Promise<Fact[]> {
    return contact === null ? [] : store.readFacts(this.#parts.database, { org, env, agent, contact })
  }

  /** Asks the model for new facts about the contact; stores them and the log entry in one transaction. */
  async learn(
    record: Remembering & { id: string },
    parts: Omit<MemoryParts, 'contact' | 'facts'>,
    signal: AbortSignal,
  ) {
    const { contact } = record
    if (contact === null) return
    const learned = await learn({ ...parts, contact, facts: await this.factsOf(record) }, signal)
    if (!learned) return
    const { database, log, gateway } = this.#parts
    await database.transaction(async (tx) => {
      const locked = await log.lock(tx, record.id)
      if (locked?.runner !== gateway) return // it has ended, or another gateway runs it
      await this.keep(tx, record, learned)
      await log.appendIn(tx, callLog(record), [{ type: 'memory.ops', data: { ...learned } }])
    })
  }

  /** In the transaction that writes the call's log. */
  async keep(tx: Transaction, record: Omit<Remembered, 'contact'>, { contact, ops }: Learned) {
    const whose = { ...record, contact }
    const gone = ops.flatMap((op) => (op.op === 'add' ? [] : [op.op === 'update' ? op.supersedes : op.id]))
    await store.deleteFacts(tx, whose, gone)
    const learned = ops.flatMap((op) => (op.op === 'delete' ? [] : [{ id: op.id, text: op.text }]))
    await store.keepFacts(tx, whose, learned, this.#parts.clock.now())
  }
}

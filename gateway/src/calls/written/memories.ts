import { learn, type Learned, type MemoryParts } from '@switchroom/session/memory'
import type { Fact } from '@switchroom/session/parts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { Log } from '../log/log.ts'
import { callLog } from '../log/stamping.ts'
import * as store from './memories.store.ts'
import type { WrittenHead } from './running.store.ts'

export interface MemoriesParts {
  database: Database
  clock: Clock
  log: Log
  /** This gateway's name. */
  gateway: string
}

/** What agents know of their contacts from earlier calls. */
export class Memories {
  readonly #parts: MemoriesParts

  constructor(parts: MemoriesParts) {
    this.#parts = parts
  }

  async factsOf({ contact, ...head }: WrittenHead): Promise<Fact[]> {
    return contact === null ? [] : store.readFacts(this.#parts.database, { ...head, contact })
  }

  /** Asks what the call taught about its contact, and keeps it in the log and beside it, or nowhere. */
  async learn(head: WrittenHead, parts: Omit<MemoryParts, 'contact' | 'facts'>, signal: AbortSignal) {
    const { contact } = head
    if (contact === null) return
    const learned = await learn({ ...parts, contact, facts: await this.factsOf(head) }, signal)
    if (!learned) return
    const { database, log, gateway } = this.#parts
    await database.transaction(async (tx) => {
      const held = await log.hold(tx, head.id)
      if (held?.runner !== gateway) return // it has ended, or another runs it
      await this.#keep(tx, head, learned)
      await log.appendIn(tx, callLog(head), [{ type: 'memory.ops', data: { ...learned } }])
    })
  }

  async #keep(tx: Transaction, head: WrittenHead, { contact, ops }: Learned) {
    const whose = { ...head, contact }
    const gone = ops.flatMap((op) => (op.op === 'add' ? [] : [op.op === 'update' ? op.supersedes : op.id]))
    await store.deleteFacts(tx, whose, gone)
    const learned = ops.flatMap((op) => (op.op === 'delete' ? [] : [{ id: op.id, text: op.text }]))
    await store.keepFacts(tx, whose, learned, this.#parts.clock.now())
  }
}

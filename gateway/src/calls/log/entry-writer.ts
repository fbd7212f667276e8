import type { Transaction } from '../../database/database.ts'
import type { Clock } from '../../foundation/clock.ts'
import { columnsOf } from './columns.ts'
import { changesOf } from './record-changes.ts'
import * as store from './log.store.ts'
import { withSeq, type KeptEntry, type LogRef, type Writable } from './entries.ts'

/** The log is at its cap of `most` entries; undefined if it is sealed or another gateway runs it. */
export interface NotKept {
  most: number | undefined
}

interface EntryWriterParts {
  clock: Clock
  charge: (tx: Transaction, charges: readonly (readonly [string, number])[]) => Promise<void>
}

/** Writes entries of many logs in one transaction, with their changes to call records and credits. */
export class EntryWriter {
  readonly #clock: Clock
  readonly #charge: EntryWriterParts['charge']
  /** The agents' own logs that are known to exist. */
  readonly #opened = new Set<string>()

  constructor({ clock, charge }: EntryWriterParts) {
    this.#clock = clock
    this.#charge = charge
  }

  /** For each write, the stored entries or why the log refused them. */
  async write(tx: Transaction, writes: readonly Writable[]): Promise<(KeptEntry[] | NotKept)[]> {
    await this.#openAgents(tx, writes)
    const { columns, places } = columnsOf(writes)
    const answered = await store.appendAll(tx, columns)
    const grown = new Map(answered.flatMap(({ id, before }) => (before === null ? [] : [[id, before]])))
    const full = new Map(answered.flatMap(({ id, most }) => (most === null ? [] : [[id, most]])))
    const taken = writes.filter(({ log }) => grown.has(log.id))
    const { records, ends, charges } = changesOf(taken)
    if (records.length > 0) await store.countOnRecords(tx, records)
    if (ends.length > 0) await store.endAll(tx, ends)
    if (charges.length > 0) await this.#charge(tx, charges)
    return writes.map(({ log, entries }, at) => {
      const before = grown.get(log.id)
      const first = places[at] ?? 0
      return before === undefined
        ? { most: full.get(log.id) }
        : entries.map((entry, index) => withSeq(entry, before + first + index + 1))
    })
  }

  /** An agent's own log is created with its first entry. */
  async #openAgents(tx: Transaction, writes: readonly Pick<Writable, 'log'>[]) {
    const missing = new Map<string, LogRef>()
    for (const { log } of writes) if (log.call === null && !this.#opened.has(log.id)) missing.set(log.id, log)
    if (missing.size === 0) return
    // sorted, so that two writers cannot deadlock
    for (const [, log] of [...missing].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      await store.insertLog(tx, log, null, this.#clock.now())
    tx.afterCommit(() => {
      for (const id of missing.keys()) this.#opened.add(id)
    })
  }
}

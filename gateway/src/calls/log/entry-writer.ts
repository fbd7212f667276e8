import type { Queryable, Transaction } from '../../database/database.ts'
import type { Clock } from '../../foundation/clock.ts'
import { traceEnded } from './call-traces.ts'
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

/** Writes entries of many logs, with their changes to call records and credits. */
export class EntryWriter {
  readonly #clock: Clock
  readonly #charge: EntryWriterParts['charge']
  /** The agents' own logs that are known to exist. */
  readonly #opened = new Set<string>()

  constructor({ clock, charge }: EntryWriterParts) {
    this.#clock = clock
    this.#charge = charge
  }

  /** Whether `append` alone writes them, so that they need no transaction. */
  isOneStatement(writes: readonly Writable[]): boolean {
    const { ends, charges } = changesOf(writes)
    return ends.length === 0 && charges.length === 0 && this.#unopened(writes).length === 0
  }

  /** For each write, the stored entries or why the log refused them. */
  async write(tx: Transaction, writes: readonly Writable[]): Promise<(KeptEntry[] | NotKept)[]> {
    await this.#openAgents(tx, writes)
    const all = await this.append(tx, writes)
    const { ends, charges } = changesOf(writes.filter((_write, at) => Array.isArray(all[at])))
    if (ends.length > 0) {
      const traced = await store.endAll(tx, ends)
      if (traced.length > 0) tx.afterCommit(() => traceEnded(traced))
    }
    if (charges.length > 0) await this.#charge(tx, charges)
    return all
  }

  /** The same of entries that end no call, charge nothing and go to logs that exist. */
  async append(database: Queryable, writes: readonly Writable[]): Promise<(KeptEntry[] | NotKept)[]> {
    const { columns, places } = columnsOf(writes)
    const answered = await this.#grow(database, columns)
    const logs = new Map(answered.map((log) => [log.id, log]))
    return writes.map(({ log, entries }, at) => {
      const { before = null, most = null } = logs.get(log.id) ?? {}
      const first = places[at] ?? 0
      return before === null
        ? { most: most ?? undefined }
        : entries.map((entry, index) => withSeq(entry, before + first + index + 1))
    })
  }

  /** Why a log refused is only in the answer of the statement for many. */
  async #grow(database: Queryable, columns: store.Columns): Promise<store.Grown[]> {
    const [id, ...others] = columns.logs
    const grown =
      id !== undefined && others.length === 0 ? await store.appendToOne(database, columns) : undefined
    if (id === undefined || !grown) return store.appendAll(database, columns)
    return [{ id, before: grown.before, most: null }]
  }

  /** An agent's own log is created with its first entry. */
  async #openAgents(tx: Transaction, writes: readonly Writable[]) {
    const missing = this.#unopened(writes)
    if (missing.length === 0) return
    // sorted, so that two writers cannot deadlock
    for (const log of missing.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
      await store.insertLog(tx, log, null, this.#clock.now())
    tx.afterCommit(() => {
      for (const { id } of missing) this.#opened.add(id)
    })
  }

  #unopened(writes: readonly Writable[]): LogRef[] {
    const missing = new Map<string, LogRef>()
    for (const { log } of writes) if (log.call === null && !this.#opened.has(log.id)) missing.set(log.id, log)
    return [...missing.values()]
  }
}

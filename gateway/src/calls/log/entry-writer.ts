import type { Queryable, Transaction } from '../../database/database.ts'
import { longestSignal } from '../../database/signals.ts'
import { columnsOf } from './columns.ts'
import { changesOf } from './record-changes.ts'
import * as store from './log.store.ts'
import { withSeq, type KeptEntry, type LogRef, type Stamped, type Writable } from './entries.ts'

/** What is shown to whoever reads now, and never kept. */
export interface Live {
  log: LogRef
  entry: Stamped
}

/** The log is at its cap of so many entries; without one, it is sealed or another writes to it. */
export interface NotKept {
  most: number | undefined
}

interface EntryWriterParts {
  gateway: string
  charge: (tx: Transaction, org: string, credits: number) => Promise<void>
}

/** Writes entries of many logs in one transaction, with all that they change beside the logs. */
export class EntryWriter {
  readonly #gateway: string
  readonly #charge: EntryWriterParts['charge']
  /** The agents' own logs that are known to be there. */
  readonly #opened = new Set<string>()

  constructor({ gateway, charge }: EntryWriterParts) {
    this.#gateway = gateway
    this.#charge = charge
  }

  /** Answers place by place what was kept, or why the log takes no more. */
  async write(
    tx: Transaction,
    writes: readonly Writable[],
    live: readonly Live[] = [],
  ): Promise<(KeptEntry[] | NotKept)[]> {
    await this.#openAgents(tx, writes)
    const { columns, places } = columnsOf(writes)
    const answered = await store.appendAll(tx, columns)
    const grown = new Map(answered.flatMap(({ id, before }) => (before === null ? [] : [[id, before]])))
    const full = new Map(answered.flatMap(({ id, most }) => (most === null ? [] : [[id, most]])))
    const taken = writes.filter(({ log }) => grown.has(log.id))
    const { records, ends, charges } = changesOf(taken)
    if (records.length > 0) await store.countOnRecords(tx, records)
    if (ends.length > 0) await store.endAll(tx, ends)
    for (const [org, credits] of charges) await this.#charge(tx, org, credits)
    const lasts = columns.logs.flatMap((id, at) => {
      const before = grown.get(id)
      return before === undefined ? [] : [[id, before + (columns.counts[at] ?? 0)] as const]
    })
    await this.tell(tx, lasts, live)
    return writes.map(({ log, entries }, at) => {
      const before = grown.get(log.id)
      const first = places[at] ?? 0
      return before === undefined
        ? { most: full.get(log.id) }
        : entries.map((entry, index) => withSeq(entry, before + first + index + 1))
    })
  }

  /** An agent's own log comes with its first entry. */
  async #openAgents(tx: Transaction, writes: readonly Pick<Writable, 'log'>[]) {
    const missing = new Map<string, LogRef>()
    for (const { log } of writes) if (log.call === null && !this.#opened.has(log.id)) missing.set(log.id, log)
    if (missing.size === 0) return
    // in one order, so that no two writers wait for each other
    for (const [, log] of [...missing].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      await store.insertLog(tx, log, null)
    tx.afterCommit(() => {
      for (const id of missing.keys()) this.#opened.add(id)
    })
  }

  /** Other gateways hear which logs grew, and what is only shown. */
  async tell(database: Queryable, grown: readonly (readonly [string, number])[], live: readonly Live[]) {
    const words = [
      ...grown.map(([id, seq]) => JSON.stringify([id, seq])),
      ...live.map(({ log, entry }) => JSON.stringify([log.id, entry.type, entry.rest])),
    ]
    const payloads = packed(this.#gateway, words)
    if (payloads.length > 0) await store.tellGrown(database, payloads)
  }
}

/** As few signals as carry all the words; a word too long for any is seen on this gateway alone. */
function packed(gateway: string, words: readonly string[]): string[] {
  const payloads: string[] = []
  let payload = ''
  for (const word of words) {
    const size = Buffer.byteLength(word)
    if (size + gateway.length + 2 > longestSignal) continue
    if (payload !== '' && Buffer.byteLength(payload) + size + 1 > longestSignal) {
      payloads.push(payload)
      payload = ''
    }
    payload += payload === '' ? `${gateway}\n${word}` : `\n${word}`
  }
  return payload === '' ? payloads : [...payloads, payload]
}

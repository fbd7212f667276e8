import type { Queryable, Transaction } from '../../database/database.ts'
import { longestSignal } from '../../database/signals.ts'
import { columnsOf } from './columns.ts'
import { changesOf } from './record-changes.ts'
import * as store from './log.store.ts'
import { withSeq, type KeptEntry, type LogRef, type Stamped, type Writable } from './entries.ts'

/** An ephemeral entry: sent to current readers, never stored. */
export interface Live {
  log: LogRef
  entry: Stamped
}

/** The log is at its cap of `most` entries; undefined if it is sealed or another gateway runs it. */
export interface NotKept {
  most: number | undefined
}

interface EntryWriterParts {
  gateway: string
  charge: (tx: Transaction, charges: readonly (readonly [string, number])[]) => Promise<void>
}

/** Writes entries of many logs in one transaction, with their changes to call records and credits. */
export class EntryWriter {
  readonly #gateway: string
  readonly #charge: EntryWriterParts['charge']
  /** The agents' own logs that are known to exist. */
  readonly #opened = new Set<string>()

  constructor({ gateway, charge }: EntryWriterParts) {
    this.#gateway = gateway
    this.#charge = charge
  }

  /** For each write, the stored entries or why the log refused them. */
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
    if (charges.length > 0) await this.#charge(tx, charges)
    const lasts = columns.logs.flatMap((id, at) => {
      const before = grown.get(id)
      return before === undefined ? [] : [[id, before + (columns.counts[at] ?? 0)] as const]
    })
    await this.notify(tx, lasts, live)
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
      await store.insertLog(tx, log, null)
    tx.afterCommit(() => {
      for (const id of missing.keys()) this.#opened.add(id)
    })
  }

  /** Notifies other gateways which logs grew, and of ephemeral entries. */
  async notify(database: Queryable, grown: readonly (readonly [string, number])[], live: readonly Live[]) {
    const messages = [
      ...grown.map(([id, seq]) => JSON.stringify([id, seq])),
      ...live.map(({ log, entry }) => JSON.stringify([log.id, entry.type, entry.rest])),
    ]
    const payloads = packed(this.#gateway, messages)
    if (payloads.length > 0) await store.notifyGrown(database, payloads)
  }
}

/** Packs messages into as few notifications as possible; a message too long for one stays on this gateway. */
function packed(gateway: string, messages: readonly string[]): string[] {
  const payloads: string[] = []
  let payload = ''
  for (const message of messages) {
    const size = Buffer.byteLength(message)
    if (size + gateway.length + 2 > longestSignal) continue
    if (payload !== '' && Buffer.byteLength(payload) + size + 1 > longestSignal) {
      payloads.push(payload)
      payload = ''
    }
    payload += payload === '' ? `${gateway}\n${message}` : `\n${message}`
  }
  return payload === '' ? payloads : [...payloads, payload]
}

import type { NewEntry } from '@switchroom/contract/log'
import type { Logger } from 'pino'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import { longestSignal } from '../../database/signals.ts'
import type { Clock } from '../../foundation/clock.ts'
import { conflict } from '../../foundation/refusals.ts'
import { changesOf } from './head-changes.ts'
import * as store from './log.store.ts'
import { stamped, withSeq, type KeptEntry, type LogRef, type Stamped } from './stamping.ts'
import type { Tails } from './tails.ts'

const mostAtOnce = 5000

/** A log that takes no more: its call has ended, or another gateway runs it. */
export const notTaken = () => conflict('this call has ended')

interface Write {
  log: LogRef
  entries: Stamped[]
  runner: string | null
  kept: (entries: KeptEntry[]) => void
  failed: (error: unknown) => void
}

export interface LogParts {
  database: Database
  clock: Clock
  logger: Logger
  tails: Tails
  /** This gateway's name, so that it does not listen to itself. */
  gateway: string
  charge: (tx: Transaction, org: string, credits: number) => Promise<void>
}

/**
 * The one writer of this process. What waits while a write is under way goes together into the next, in one
 * transaction; `seq` is given while the log is held, so that nobody sees a higher one before a lower one.
 */
export class Log {
  readonly #parts: LogParts
  #waiting: Write[] = []
  #live: { log: LogRef; entry: Stamped }[] = []
  #writing: Promise<void> | undefined

  constructor(parts: LogParts) {
    this.#parts = parts
  }

  /** Comes with the head of its call, or with the first entry of its agent. */
  async open(database: Queryable, log: LogRef) {
    await store.insertLog(database, log)
  }

  /** Answers once the entries are kept. Refused when the log takes no more. */
  append(log: LogRef, entries: readonly NewEntry[], runner: string | null = null): Promise<KeptEntry[]> {
    if (entries.length === 0) return Promise.resolve([])
    const now = this.#parts.clock.now()
    return new Promise((kept, failed) => {
      const written = entries.map((entry) => stamped(log, entry, now))
      this.#waiting.push({ log, entries: written, runner, kept, failed })
      this.#wake()
    })
  }

  /** In the transaction of a rule that holds the log; shown to readers once that is kept. */
  async appendIn(tx: Transaction, log: LogRef, entries: readonly NewEntry[]): Promise<KeptEntry[]> {
    const now = this.#parts.clock.now()
    const write = { log, runner: null, entries: entries.map((entry) => stamped(log, entry, now)) }
    const [kept] = await this.#write(tx, [write])
    if (!kept) throw notTaken()
    tx.afterCommit(() => this.#parts.tails.grew(log, kept))
    return kept
  }

  /** Shows what is never kept to whoever reads now. */
  show(log: LogRef, entries: readonly NewEntry[]) {
    const now = this.#parts.clock.now()
    for (const entry of entries) {
      const live = stamped(log, entry, now, true)
      this.#parts.tails.showed(log, live)
      this.#live.push({ log, entry: live })
    }
    this.#wake()
  }

  /** When everything that waits is written. */
  async settled() {
    while (this.#writing) await this.#writing
  }

  #wake() {
    this.#writing ??= this.#writeAll()
  }

  async #writeAll() {
    await Promise.resolve() // what comes in the same turn goes together
    while (this.#waiting.length > 0 || this.#live.length > 0) {
      const writes = this.#take()
      await this.#keep(writes).catch((error: unknown) => this.#keepEach(writes, error))
    }
    this.#writing = undefined // in the turn that found nothing more, so that no write goes unnoticed
  }

  /** As many as fit; what comes after the end of a call waits, to be refused. */
  #take(): Write[] {
    const ended = new Set<string>()
    let entries = 0
    const taken: Write[] = []
    const left: Write[] = []
    for (const write of this.#waiting) {
      if (entries >= mostAtOnce || ended.has(write.log.id)) left.push(write)
      else {
        taken.push(write)
        entries += write.entries.length
        if (write.entries.some(({ type }) => type === 'call.ended')) ended.add(write.log.id)
      }
    }
    this.#waiting = left
    return taken
  }

  async #keep(writes: readonly Write[]) {
    const live = this.#live
    this.#live = []
    if (writes.length === 0) return void (await this.#tell(this.#parts.database, [], live))
    const all = await this.#parts.database.transaction((tx) => this.#write(tx, writes, live))
    for (const [place, write] of writes.entries()) {
      const kept = all[place]
      if (kept) this.#parts.tails.grew(write.log, kept)
      if (kept) write.kept(kept)
      else write.failed(notTaken())
    }
  }

  /** One that cannot be written must not take the others with it. */
  async #keepEach(writes: readonly Write[], error: unknown) {
    if (writes.length === 1) return writes[0]?.failed(error)
    this.#parts.logger.warn({ err: error }, 'entries could not be written together')
    for (const write of writes) await this.#keep([write]).catch((alone: unknown) => write.failed(alone))
  }

  /** Answers place by place what was kept; undefined where the log takes no more. */
  async #write(
    tx: Transaction,
    writes: readonly Pick<Write, 'log' | 'entries' | 'runner'>[],
    live: readonly { log: LogRef; entry: Stamped }[] = [],
  ): Promise<(KeptEntry[] | undefined)[]> {
    const { columns, places } = columnsOf(writes)
    const grown = new Map((await store.appendAll(tx, columns)).map(({ id, before }) => [id, before]))
    const taken = writes.filter(({ log }) => grown.has(log.id))
    const { heads, ends, charges } = changesOf(taken)
    if (heads.length > 0) await store.countOnHeads(tx, heads)
    if (ends.length > 0) await store.endAll(tx, ends)
    for (const [org, credits] of charges) await this.#parts.charge(tx, org, credits)
    const lasts = columns.logs.flatMap((id, at) => {
      const before = grown.get(id)
      return before === undefined ? [] : [[id, before + (columns.counts[at] ?? 0)] as const]
    })
    await this.#tell(tx, lasts, live)
    return writes.map(({ log, entries }, at) => {
      const before = grown.get(log.id)
      const first = places[at] ?? 0
      return before === undefined
        ? undefined
        : entries.map((entry, index) => withSeq(entry, before + first + index + 1))
    })
  }

  async #tell(
    database: Queryable,
    grown: readonly (readonly [string, number])[],
    live: readonly { log: LogRef; entry: Stamped }[],
  ) {
    const words = [
      ...grown.map(([id, seq]) => JSON.stringify([id, seq])),
      ...live.map(({ log, entry }) => JSON.stringify([log.id, entry.type, entry.rest])),
    ]
    const payloads = packed(this.#parts.gateway, words)
    if (payloads.length > 0) await store.tellGrown(database, payloads)
  }
}

/** One column for each field, and for every write how many entries of its log come before it. */
function columnsOf(writes: readonly Pick<Write, 'log' | 'entries' | 'runner'>[]) {
  const columns: store.Columns = {
    logs: [],
    counts: [],
    runners: [],
    entryLogs: [],
    places: [],
    stamps: [],
    types: [],
    rests: [],
  }
  const indexes = new Map<string, number>()
  const places: number[] = []
  for (const { log, entries, runner } of writes) {
    const known = indexes.get(log.id)
    const at = known ?? columns.logs.length
    if (known === undefined) {
      indexes.set(log.id, at)
      columns.logs.push(log.id)
      columns.counts.push(0)
      columns.runners.push(runner)
    }
    const first = columns.counts[at] ?? 0
    places.push(first)
    columns.counts[at] = first + entries.length
    for (const [index, entry] of entries.entries()) {
      columns.entryLogs.push(log.id)
      columns.places.push(first + index + 1)
      columns.stamps.push(entry.ts)
      columns.types.push(entry.type)
      columns.rests.push(entry.rest)
    }
  }
  return { columns, places }
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

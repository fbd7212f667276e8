import type { NewEntry } from '@switchroom/contract/log'
import { DatabaseError } from 'pg'
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
/** While the database is busy with one, the next is made ready. */
const lanes = 2

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

/** Writes to some of the logs wait for each other in one lane. */
interface Lane {
  waiting: Write[]
  writing: Promise<void> | undefined
}

/**
 * The one writer of this process. What waits while a write is under way goes together into the next, in one
 * transaction; `seq` is given while the log is held, so that nobody sees a higher one before a lower one.
 */
export class Log {
  readonly #parts: LogParts
  readonly #lanes: Lane[] = Array.from({ length: lanes }, () => ({ waiting: [], writing: undefined }))
  #live: { log: LogRef; entry: Stamped }[] = []
  /** The agents' own logs that are known to be there. */
  readonly #opened = new Set<string>()

  constructor(parts: LogParts) {
    this.#parts = parts
  }

  /** Comes with the head of its call; an agent's own comes with its first entry. */
  async open(database: Queryable, log: LogRef, runner: string | null = null) {
    await store.insertLog(database, log, runner)
  }

  /** Held until the end of the transaction: nobody else writes to it, nor changes how its call stands. */
  hold(tx: Transaction, id: string): Promise<store.HeldLog | undefined> {
    return store.holdLog(tx, id)
  }

  find(id: string): Promise<store.HeldLog | undefined> {
    return store.findLog(this.#parts.database, id)
  }

  /** What is kept from behind this `seq` on, in order. */
  read(id: string, after: number, limit: number): Promise<KeptEntry[]> {
    return store.readAfter(this.#parts.database, id, after, limit)
  }

  /** Answers once the entries are kept. Refused when the log takes no more. */
  append(log: LogRef, entries: readonly NewEntry[], runner: string | null = null): Promise<KeptEntry[]> {
    if (entries.length === 0) return Promise.resolve([])
    const now = this.#parts.clock.now()
    return new Promise((kept, failed) => {
      const written = entries.map((entry) => stamped(log, entry, now))
      const lane = this.#laneOf(log)
      lane.waiting.push({ log, entries: written, runner, kept, failed })
      this.#wake(lane)
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
    this.#wake(this.#laneOf(log))
  }

  /** When everything that waits is written. */
  async settled() {
    for (const lane of this.#lanes) while (lane.writing) await lane.writing
  }

  #laneOf({ id }: LogRef): Lane {
    const lane = this.#lanes[id.charCodeAt(id.length - 1) % lanes]
    if (!lane) throw new Error('every log has a lane')
    return lane
  }

  #wake(lane: Lane) {
    lane.writing ??= this.#writeAll(lane)
  }

  async #writeAll(lane: Lane) {
    await Promise.resolve() // what comes in the same turn goes together
    while (lane.waiting.length > 0 || this.#live.length > 0) await this.#keepAll(this.#take(lane))
    lane.writing = undefined // in the turn that found nothing more, so that no write goes unnoticed
  }

  /** As many as fit; what comes after the end of a call waits, to be refused, and so does another's turn to write. */
  #take(lane: Lane): Write[] {
    const full = new Set<string>()
    const runners = new Map<string, string | null>()
    let entries = 0
    const taken: Write[] = []
    const left: Write[] = []
    for (const write of lane.waiting) {
      const { log, runner } = write
      if (runners.has(log.id) && runners.get(log.id) !== runner) full.add(log.id)
      if (entries >= mostAtOnce || full.has(log.id)) left.push(write)
      else {
        taken.push(write)
        runners.set(log.id, runner)
        entries += write.entries.length
        if (write.entries.some(({ type }) => type === 'call.ended')) full.add(log.id)
      }
    }
    lane.waiting = left
    return taken
  }

  /** One that cannot be written must not take the others with it. */
  async #keepAll(writes: readonly Write[]) {
    let isWritten = false
    try {
      await this.#keep(writes, () => (isWritten = true))
    } catch (error) {
      // Nobody can tell whether a commit that was never answered holds: written again, entries might stand twice.
      const isUnknown = isWritten && !(error instanceof DatabaseError)
      if (writes.length > 0) this.#parts.logger.warn({ err: error }, 'entries could not be written')
      if (writes.length === 1 || isUnknown) for (const write of writes) write.failed(error)
      else for (const write of writes) await this.#keepAll([write])
    }
  }

  async #keep(writes: readonly Write[], written: () => void) {
    const live = this.#live
    this.#live = []
    if (writes.length === 0) return void (await this.#tell(this.#parts.database, [], live))
    const all = await this.#parts.database.transaction(async (tx) => {
      const kept = await this.#write(tx, writes, live)
      written()
      return kept
    })
    for (const [place, write] of writes.entries()) {
      const kept = all[place]
      if (kept) this.#parts.tails.grew(write.log, kept)
      if (kept) write.kept(kept)
      else write.failed(notTaken())
    }
  }

  /** Answers place by place what was kept; undefined where the log takes no more. */
  async #write(
    tx: Transaction,
    writes: readonly Pick<Write, 'log' | 'entries' | 'runner'>[],
    live: readonly { log: LogRef; entry: Stamped }[] = [],
  ): Promise<(KeptEntry[] | undefined)[]> {
    await this.#openAgents(tx, writes)
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

  /** An agent's own log comes with its first entry. */
  async #openAgents(tx: Transaction, writes: readonly Pick<Write, 'log'>[]) {
    const missing = new Map<string, LogRef>()
    for (const { log } of writes)
      if (log.call === null && !this.#opened.has(log.id)) missing.set(log.id, log)
    if (missing.size === 0) return
    // in one order, so that no two writers wait for each other
    for (const [, log] of [...missing].toSorted(([a], [b]) => (a < b ? -1 : 1))) await this.open(tx, log)
    tx.afterCommit(() => {
      for (const id of missing.keys()) this.#opened.add(id)
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

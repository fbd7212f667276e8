import type { NewEntry } from '@switchroom/contract/log'
import { DatabaseError } from 'pg'
import type { Logger } from 'pino'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import type { Clock } from '../../foundation/clock.ts'
import { conflict, type Refusal } from '../../foundation/refusals.ts'
import { EntryWriter, type Live, type NotKept } from './entry-writer.ts'
import * as store from './log.store.ts'
import { stamped, type KeptEntry, type LogRef, type Stamped, type Writable } from './entries.ts'
import type { LiveLogs } from './live-logs.ts'

const mostAtOnce = 5000
/** While the database is busy with one, the next is made ready. */
const lanes = 2

/** A log that takes no more: its call has ended, or another gateway runs it. */
export const notTaken = () => conflict('this call has ended')

/** Some entries that are kept, or only shown. */
export interface Run {
  isEphemeral: boolean
  entries: readonly NewEntry[]
}

interface Write extends Writable {
  /** What is never kept, each behind as many of the entries that are. */
  shown: readonly { behind: number; entry: Stamped }[]
  kept: (entries: KeptEntry[]) => void
  failed: (error: unknown) => void
}

export interface LogParts {
  database: Database
  clock: Clock
  logger: Logger
  liveLogs: LiveLogs
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
  readonly #writer: EntryWriter
  #live: Live[] = []

  constructor(parts: LogParts) {
    this.#parts = parts
    this.#writer = new EntryWriter(parts)
  }

  /** Comes with the head of its call; an agent's own comes with its first entry. */
  async open(database: Queryable, log: LogRef, runner: string | null = null) {
    await store.insertLog(database, log, runner)
  }

  /** Held until the end of the transaction: nobody else writes to it, nor changes how its call stands. */
  lock(tx: Transaction, id: string): Promise<store.LockedLog | undefined> {
    return store.lockLog(tx, id)
  }

  find(id: string): Promise<store.LockedLog | undefined> {
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
    const written = entries.map((entry) => stamped(log, entry, now))
    return this.#wait({ log, entries: written, shown: [], runner, batch: null })
  }

  /**
   * What a call's worker sends at once, kept or only shown, in the order it came. Refused when the log takes no more,
   * or not this batch next.
   */
  appendBatch(log: LogRef, runs: readonly Run[], batch: number | null): Promise<KeptEntry[]> {
    return this.#wait(this.#batchOf(log, runs, batch))
  }

  /** The same in a transaction, with what is kept beside it. */
  async appendBatchIn(
    tx: Transaction,
    log: LogRef,
    runs: readonly Run[],
    batch: number | null,
  ): Promise<KeptEntry[]> {
    const write = this.#batchOf(log, runs, batch)
    const kept = this.#kept(log, await this.#writer.write(tx, [write]))
    tx.afterCommit(() => {
      this.#pass(write, kept)
      this.#wake(this.#laneOf(log))
    })
    return kept
  }

  /** In the transaction of a rule that holds the log; shown to readers once that is kept. */
  async appendIn(tx: Transaction, log: LogRef, entries: readonly NewEntry[]): Promise<KeptEntry[]> {
    const now = this.#parts.clock.now()
    const written = entries.map((entry) => stamped(log, entry, now))
    const write = { log, runner: null, batch: null, entries: written }
    const kept = this.#kept(log, await this.#writer.write(tx, [write]))
    tx.afterCommit(() => this.#parts.liveLogs.grew(log, kept))
    return kept
  }

  /** Shows what is never kept to whoever reads now. */
  show(log: LogRef, entries: readonly NewEntry[]) {
    const now = this.#parts.clock.now()
    for (const entry of entries) {
      const live = stamped(log, entry, now, true)
      this.#parts.liveLogs.showed(log, live)
      this.#live.push({ log, entry: live })
    }
    this.#wake(this.#laneOf(log))
  }

  /** When everything that waits is written. */
  async settled() {
    for (const lane of this.#lanes) while (lane.writing) await lane.writing
  }

  #batchOf(log: LogRef, runs: readonly Run[], batch: number | null): Omit<Write, 'kept' | 'failed'> {
    const now = this.#parts.clock.now()
    const entries: Stamped[] = []
    const shown: { behind: number; entry: Stamped }[] = []
    for (const { isEphemeral, entries: some } of runs)
      for (const entry of some)
        if (isEphemeral) shown.push({ behind: entries.length, entry: stamped(log, entry, now, true) })
        else entries.push(stamped(log, entry, now))
    return { log, entries, shown, runner: null, batch }
  }

  #wait(write: Omit<Write, 'kept' | 'failed'>): Promise<KeptEntry[]> {
    return new Promise((kept, failed) => {
      const lane = this.#laneOf(write.log)
      lane.waiting.push({ ...write, kept, failed })
      this.#wake(lane)
    })
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
    const writers = new Map<string, string | null | Write>()
    let entries = 0
    const taken: Write[] = []
    const left: Write[] = []
    for (const write of lane.waiting) {
      const { log, runner, batch } = write
      const writer = batch === null ? runner : write // a batch goes alone, for it may come twice
      if (writers.has(log.id) && writers.get(log.id) !== writer) full.add(log.id)
      if (entries >= mostAtOnce || full.has(log.id)) left.push(write)
      else {
        taken.push(write)
        writers.set(log.id, writer)
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
      if (isUnknown) for (const { log } of writes) this.#parts.liveLogs.lookAgain(log)
      if (writes.length === 1 || isUnknown) for (const write of writes) write.failed(error)
      else for (const write of writes) await this.#keepAll([write])
    }
  }

  async #keep(writes: readonly Write[], written: () => void) {
    const live = this.#live
    this.#live = []
    if (writes.length === 0) return this.#writer.tell(this.#parts.database, [], live)
    const all = await this.#parts.database.transaction(async (tx) => {
      const kept = await this.#writer.write(tx, writes, live)
      written()
      return kept
    })
    for (const [place, write] of writes.entries()) {
      const kept = all[place]
      if (Array.isArray(kept)) this.#pass(write, kept)
      if (Array.isArray(kept)) write.kept(kept)
      else write.failed(this.#refusalOf(write.log, kept))
    }
  }

  #kept(log: LogRef, [kept]: readonly (KeptEntry[] | NotKept)[]): KeptEntry[] {
    if (Array.isArray(kept)) return kept
    throw this.#refusalOf(log, kept)
  }

  /** A call that has as many entries as it may have ends, beside the refusal of what would have been one more. */
  #refusalOf(log: LogRef, refused: NotKept | undefined): Refusal {
    if (refused?.most === undefined) return notTaken()
    const sentence = `call ${log.id} has the ${refused.most} entries that a call may have, and ends: open another, or ask the operator for more`
    const ends = [
      { type: 'error', data: { code: 'quota', detail: sentence } },
      { type: 'call.ended', data: { reason: 'failed' } },
    ]
    this.append(log, ends).catch(() => {}) // it has ended by now, or is refused again and ended by that
    return conflict(sentence)
  }

  /** To whoever reads, what is kept and what is only shown in the order it came. */
  #pass({ log, shown }: Pick<Write, 'log' | 'shown'>, kept: readonly KeptEntry[]) {
    const { liveLogs } = this.#parts
    let passed = 0
    for (const { behind, entry } of shown) {
      if (behind > passed) liveLogs.grew(log, kept.slice(passed, behind))
      passed = behind
      liveLogs.showed(log, entry)
      this.#live.push({ log, entry })
    }
    if (passed < kept.length) liveLogs.grew(log, kept.slice(passed))
  }
}

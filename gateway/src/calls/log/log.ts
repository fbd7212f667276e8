import type { NewEntry } from '@switchroom/contract/log'
import { DatabaseError } from 'pg'
import type { Logger } from 'pino'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import type { Signals } from '../../database/signals.ts'
import type { Clock } from '../../foundation/clock.ts'
import { conflict, type Refusal } from '../../foundation/refusals.ts'
import { EntryWriter, type NotKept } from './entry-writer.ts'
import * as store from './log.store.ts'
import { aboutCall, stamped, type KeptEntry, type LogRef, type Stamped, type Writable } from './entries.ts'
import { isTestCall } from './test-call-ids.ts'
import { laneOf, lanes, shareOf } from './lanes.ts'
import type { LiveLogs } from './live-logs.ts'
import { LogNotices } from './log-notices.ts'
import type { EntryMeter } from '../metering/entry-metrics.ts'

/** Calls that a line of the process's log names. */
const mostNamed = 20
const began: ReadonlySet<string> = new Set(['call.dialing', 'call.started', 'chat.started', 'msgapp.started'])

/** The log is sealed, or another gateway runs its call. */
export const notTaken = () => conflict('this call has ended').as('CALL_ENDED')

/** Successive entries that are all stored or all ephemeral. */
export interface Run {
  isEphemeral: boolean
  entries: readonly NewEntry[]
}

interface Write extends Writable {
  /** Ephemeral entries, each with the number of stored entries before it. */
  shown: readonly { behind: number; entry: Stamped }[]
  /** Whether a worker sent it. */
  isWorkers: boolean
  sinceMs: number
  kept: (entries: KeptEntry[]) => void
  failed: (error: unknown) => void
}

export interface LogParts {
  database: Database
  clock: Clock
  logger: Logger
  liveLogs: LiveLogs
  signals: Signals
  /** This gateway's name, so that it ignores its own notifications. */
  gateway: string
  charge: (tx: Transaction, charges: readonly (readonly [string, number])[]) => Promise<void>
  /** Counts what this gateway has stored. */
  meter?: Pick<EntryMeter, 'stored' | 'measured' | 'appended'>
}

type Asked = Omit<Write, 'kept' | 'failed' | 'sinceMs'>

/** Orgs are spread over lanes; writes in one lane are serial. */
interface Lane {
  waiting: Write[]
  writing: Promise<void> | undefined
}

/**
 * The one writer of this process. Writes that wait for a running one go together into the next transaction; `seq` is
 * given while the log is locked, so that no reader sees a higher one before a lower one.
 */
export class Log {
  readonly #parts: LogParts
  readonly #lanes: Lane[] = Array.from({ length: lanes }, () => ({ waiting: [], writing: undefined }))
  readonly #writer: EntryWriter
  readonly #notices: LogNotices

  constructor(parts: LogParts) {
    this.#parts = parts
    this.#writer = new EntryWriter(parts)
    this.#notices = new LogNotices(parts.signals, parts.gateway)
  }

  /** A call's log is created with its record, an agent's own with its first entry. */
  async open(database: Queryable, log: LogRef, runner: string | null = null) {
    await store.insertLog(database, log, runner, this.#parts.clock.now())
  }

  /** Locked to the end of the transaction: no other writer appends to it or changes its call's state. */
  lock(tx: Transaction, id: string): Promise<store.LockedLog | undefined> {
    return store.lockLog(tx, id)
  }

  find(id: string): Promise<store.LockedLog | undefined> {
    return store.findLog(this.#parts.database, id)
  }

  /** The stored entries after this `seq`, in order. */
  read(id: string, after: number, limit: number): Promise<KeptEntry[]> {
    return store.readAfter(this.#parts.database, id, after, limit)
  }

  /** Resolves once the entries are stored. Refused if the log is sealed or full. */
  append(log: LogRef, entries: readonly NewEntry[], runner: string | null = null): Promise<KeptEntry[]> {
    if (entries.length === 0) return Promise.resolve([])
    const now = this.#parts.clock.now()
    const written = entries.map((entry) => stamped(log, entry, now))
    return this.#wait({ log, entries: written, shown: [], isWorkers: false, runner, batch: null })
  }

  /**
   * A worker's batch, stored and ephemeral entries in their order. Refused if the log is sealed or full, or if another
   * batch is the next.
   */
  appendBatch(log: LogRef, runs: readonly Run[], batch: number | null): Promise<KeptEntry[]> {
    return this.#wait(this.#batchOf(log, runs, batch))
  }

  /** The same in the caller's transaction. */
  async appendBatchIn(
    tx: Transaction,
    log: LogRef,
    runs: readonly Run[],
    batch: number | null,
  ): Promise<KeptEntry[]> {
    const write = this.#batchOf(log, runs, batch)
    const kept = this.#kept(log, await this.#writer.write(tx, [write]))
    tx.afterCommit(() => this.#pass(write, kept))
    return kept
  }

  /** In the transaction of a rule that has locked the log; sent to readers on commit. */
  async appendIn(tx: Transaction, log: LogRef, entries: readonly NewEntry[]): Promise<KeptEntry[]> {
    const now = this.#parts.clock.now()
    const written = entries.map((entry) => stamped(log, entry, now))
    const write = { log, runner: null, batch: null, entries: written }
    const kept = this.#kept(log, await this.#writer.write(tx, [write]))
    tx.afterCommit(() => this.#pass({ ...write, shown: [], isWorkers: false }, kept))
    return kept
  }

  /** Sends ephemeral entries to the current readers. */
  show(log: LogRef, entries: readonly NewEntry[]) {
    const now = this.#parts.clock.now()
    for (const entry of entries) {
      const live = stamped(log, entry, now, true)
      this.#parts.liveLogs.showed(log, live)
      this.#notices.showed(log, live)
    }
  }

  /** Resolves once everything that waits is written, and other gateways are notified of it. */
  async settled() {
    for (const lane of this.#lanes) while (lane.writing) await lane.writing
    this.#notices.flush()
  }

  #batchOf(log: LogRef, runs: readonly Run[], batch: number | null): Asked {
    const now = this.#parts.clock.now()
    const entries: Stamped[] = []
    const shown: { behind: number; entry: Stamped }[] = []
    for (const { isEphemeral, entries: some } of runs)
      for (const entry of some)
        if (isEphemeral) shown.push({ behind: entries.length, entry: stamped(log, entry, now, true) })
        else entries.push(stamped(log, entry, now))
    return { log, entries, shown, isWorkers: true, runner: null, batch }
  }

  #wait(write: Asked): Promise<KeptEntry[]> {
    return new Promise((kept, failed) => {
      const lane = this.#laneOf(write.log)
      lane.waiting.push({ ...write, sinceMs: performance.now(), kept, failed })
      this.#wake(lane)
    })
  }

  #laneOf(log: LogRef): Lane {
    const lane = this.#lanes[laneOf(log)]
    if (!lane) throw new Error('every log has a lane')
    return lane
  }

  #wake(lane: Lane) {
    lane.writing ??= this.#writeAll(lane)
  }

  async #writeAll(lane: Lane) {
    await Promise.resolve() // entries of the same turn go together
    while (lane.waiting.length > 0) await this.#keepAll(this.#take(lane))
    lane.writing = undefined // set in the turn that found nothing more, so that no write is missed
  }

  /** As many as fit. A write after a call's end waits, to be refused, and so does one by another writer of the same log. */
  #take(lane: Lane): Write[] {
    const full = new Set<string>()
    const writers = new Map<string, string | null | Write>()
    const share = shareOf(lane.waiting)
    const entries = new Map<string, number>()
    const taken: Write[] = []
    const left: Write[] = []
    for (const write of lane.waiting) {
      const { log, runner, batch } = write
      const writer = batch === null ? runner : write // a batch goes alone, because it may come twice
      if (writers.has(log.id) && writers.get(log.id) !== writer) full.add(log.id)
      const ofOrg = entries.get(log.org) ?? 0
      if (ofOrg >= share || full.has(log.id)) left.push(write)
      else {
        taken.push(write)
        writers.set(log.id, writer)
        entries.set(log.org, ofOrg + write.entries.length)
        if (write.entries.some(({ type }) => type === 'call.ended')) full.add(log.id)
      }
    }
    lane.waiting = left
    return taken
  }

  /** One write that fails must not fail the others. */
  async #keepAll(writes: readonly Write[]) {
    let isWritten = false
    try {
      await this.#keep(writes, () => (isWritten = true))
    } catch (error) {
      // It is unknown whether an unanswered commit took effect: a retry might write entries twice.
      const isUnknown = isWritten && !(error instanceof DatabaseError)
      const calls = writes.slice(0, mostNamed).map(({ log }) => log.id)
      this.#parts.logger.warn({ err: error, calls }, 'entries could not be written')
      if (isUnknown) for (const { log } of writes) this.#parts.liveLogs.catchUp(log)
      if (writes.length === 1 || isUnknown) for (const write of writes) write.failed(error)
      else for (const write of writes) await this.#keepAll([write])
    }
  }

  async #keep(writes: readonly Write[], written: () => void) {
    const all = await this.#write(writes, written)
    for (const [place, write] of writes.entries()) {
      const kept = all[place]
      if (Array.isArray(kept)) this.#pass(write, kept)
      if (Array.isArray(kept)) this.#parts.meter?.appended(performance.now() - write.sinceMs)
      if (Array.isArray(kept)) write.kept(kept)
      else write.failed(this.#refusalOf(write.log, kept))
    }
  }

  /** `written` is called before what may take effect without an answer. */
  #write(writes: readonly Write[], written: () => void): Promise<(KeptEntry[] | NotKept)[]> {
    const { database } = this.#parts
    if (this.#writer.isOneStatement(writes)) {
      written()
      return this.#writer.append(database, writes)
    }
    return database.transaction(async (tx) => {
      const kept = await this.#writer.write(tx, writes)
      written()
      return kept
    })
  }

  #kept(log: LogRef, [kept]: readonly (KeptEntry[] | NotKept)[]): KeptEntry[] {
    if (Array.isArray(kept)) return kept
    throw this.#refusalOf(log, kept)
  }

  /** A call at its cap of entries is ended as well as refused. */
  #refusalOf(log: LogRef, refused: NotKept | undefined): Refusal {
    if (refused?.most === undefined) return notTaken()
    const sentence = `call ${log.id} has the ${refused.most} entries that a call may have, and ends: open another, or ask the operator for more`
    const ends = [
      { type: 'error', data: { code: 'quota', detail: sentence } },
      { type: 'call.ended', data: { reason: 'failed' } },
    ]
    this.append(log, ends).catch(() => {}) // it has ended meanwhile, or is refused again and ended by that
    return conflict(sentence)
  }

  /** The process's log says where each call began and ended. */
  #tell(log: LogRef, { type, data }: Stamped) {
    const { logger } = this.#parts
    if (log.call === null) return
    if (began.has(type)) logger.info({ ...aboutCall(log), env: log.env, type }, 'a call began')
    else if (type === 'call.ended')
      logger.info({ ...aboutCall(log), env: log.env, reason: data['reason'] }, 'a call ended')
  }

  /** To readers here and on other gateways, stored and ephemeral entries in the order they came. */
  #pass(
    { log, entries, shown, isWorkers }: Pick<Write, 'log' | 'entries' | 'shown' | 'isWorkers'>,
    kept: readonly KeptEntry[],
  ) {
    const { liveLogs, meter } = this.#parts
    meter?.stored({ env: log.env, isTest: isTestCall(log.id) }, entries)
    if (!isWorkers) meter?.measured(log.env, entries)
    for (const entry of entries) this.#tell(log, entry)
    let passed = 0
    for (const { behind, entry } of shown) {
      if (behind > passed) liveLogs.grew(log, kept.slice(passed, behind))
      passed = behind
      liveLogs.showed(log, entry)
      this.#notices.showed(log, entry)
    }
    if (passed < kept.length) liveLogs.grew(log, kept.slice(passed))
    if (kept.length > 0) this.#notices.grew(log, kept)
  }
}

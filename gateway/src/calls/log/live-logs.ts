import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Logger } from 'pino'
import type { Database } from '../../database/database.ts'
import { Gathered } from '../../database/gathered.ts'
import type { Signals } from '../../database/signals.ts'
import { secondMs } from '../../foundation/clock.ts'
import * as store from './log.store.ts'
import { aboutLog, withSeq, type KeptEntry, type LogRef, type Stamped } from './entries.ts'

const pageSize = 200
/** A notice is of many logs, which are read together. */
const mostPagesAtOnce = 100
const retryAfterMs = secondMs
/** Entries whose notice was lost reach their readers this much later. */
const checkEveryMs = 3 * secondMs
/** Each check is one statement, and takes the next so many. */
const mostChecked = 5000

/** An entry on its way to readers, with the bytes every one of them is sent. */
export interface ShownEntry extends KeptEntry {
  isEphemeral: boolean
  readonly frame: Buffer
}

/** Receives new entries of one log in order; stored ones without gaps. */
export type Follower = (entries: readonly ShownEntry[]) => void

/** Receives every entry that this process writes, ephemeral ones included. */
export type Watcher = (log: LogRef, entry: ShownEntry) => void

/** The live ends of the logs that are read on this gateway, whichever gateway writes them. */
export class LiveLogs {
  readonly #database: Database
  readonly #logger: Logger
  readonly #liveLogs = new Map<string, LiveLog>()
  readonly #watchers = new Set<Watcher>()
  readonly #pages: Pages
  readonly task: PeriodicTask = {
    name: 'check followed logs',
    everyMs: checkEveryMs,
    run: () => this.check(),
  }
  #checkedTo = 0

  constructor(database: Database, signals: Signals, gateway: string, logger: Logger) {
    this.#database = database
    this.#logger = logger
    this.#pages = new Gathered((asked) => store.readPages(database, asked, pageSize), mostPagesAtOnce)
    signals.on(
      store.logChannel,
      (payload) => this.#hear(payload, gateway),
      () => {
        for (const live of this.#liveLogs.values()) live.catchUp()
      },
    )
  }

  /** Follows the log from its current `seq`: the follower receives every later entry until `stop`. */
  async follow(log: string, follower: Follower): Promise<{ seq: number; stop: () => void }> {
    const live = this.#liveLogs.get(log) ?? new LiveLog(this.#database, this.#pages, log, this.#logger)
    this.#liveLogs.set(log, live)
    live.wanted += 1
    const release = () => {
      live.wanted -= 1
      if (live.wanted === 0) this.#liveLogs.delete(log)
    }
    try {
      await live.start()
    } catch (error) {
      release()
      throw error
    }
    live.followers.add(follower)
    const stop = () => {
      if (live.followers.delete(follower)) release()
    }
    return { seq: live.seq, stop }
  }

  /** Finds what other gateways wrote and this one has not heard of. */
  async check() {
    const followed = [...this.#liveLogs].flatMap(([id, { seq, isFound }]) => (isFound ? [{ id, seq }] : []))
    const from = this.#checkedTo < followed.length ? this.#checkedTo : 0
    const known = followed.slice(from, from + mostChecked)
    this.#checkedTo = from + known.length
    if (known.length === 0) return
    for (const { id, seq } of await store.findGrown(this.#database, known)) this.#liveLogs.get(id)?.heard(seq)
  }

  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** This gateway wrote. */
  grew(log: LogRef, entries: readonly KeptEntry[]) {
    const live = this.#liveLogs.get(log.id)
    if (!live && this.#watchers.size === 0) return
    const shown = entries.map((entry) => shownOf(entry, false))
    live?.grew(shown)
    for (const entry of shown) this.#passToWatchers(log, entry)
  }

  /** This gateway may have written without an answer from the database. */
  catchUp({ id }: LogRef) {
    this.#liveLogs.get(id)?.catchUp()
  }

  /** This gateway sends an ephemeral entry. */
  showed(log: LogRef, entry: Stamped) {
    this.#liveLogs.get(log.id)?.showed(entry)
    if (this.#watchers.size === 0) return
    this.#passToWatchers(log, shownOf(withSeq(entry, 0), true))
  }

  #passToWatchers(log: LogRef, entry: ShownEntry) {
    for (const watcher of this.#watchers) guarded(this.#logger, () => watcher(log, entry))
  }

  #hear(payload: string, own: string) {
    const [gateway, ...messages] = payload.split('\n')
    if (gateway === own) return
    for (const message of messages) {
      const [log, what, rest] = JSON.parse(message) as [string, number | string, string?]
      const live = this.#liveLogs.get(log)
      if (typeof what === 'number') live?.heard(what)
      else if (rest !== undefined) live?.showed({ type: what, rest })
    }
  }
}

type Pages = Gathered<store.PageAsked, KeptEntry[]>

class LiveLog {
  readonly followers = new Set<Follower>()
  /** How many readers follow it or are about to. */
  wanted = 0
  readonly #database: Database
  readonly #pages: Pages
  readonly #log: string
  readonly #logger: Logger
  #seq: number | undefined
  /** The highest `seq` that other gateways announced. */
  #known = 0
  /** Notifications may have been missed. */
  #mustRead = false
  #starting: Promise<void> | undefined
  #isReading = false

  constructor(database: Database, pages: Pages, log: string, logger: Logger) {
    this.#database = database
    this.#pages = pages
    this.#log = log
    this.#logger = logger
  }

  get seq(): number {
    return this.#seq ?? 0
  }

  get isFound(): boolean {
    return this.#seq !== undefined
  }

  start(): Promise<void> {
    return (this.#starting ??= this.#find())
  }

  async #find() {
    const found = await store.findLog(this.#database, this.#log)
    this.#seq = found?.seq ?? 0
    this.#wake()
  }

  /** Written by this gateway: passed on directly, unless another gateway wrote in between. */
  grew(entries: readonly ShownEntry[]) {
    const [first] = entries
    if (!first) return
    if (this.#seq === undefined || this.#isReading || first.seq !== this.#seq + 1)
      return this.heard(first.seq + entries.length - 1)
    this.#seq += entries.length
    this.#pass(entries)
  }

  heard(seq: number) {
    this.#known = Math.max(this.#known, seq)
    this.#wake()
  }

  showed(entry: Pick<Stamped, 'type' | 'rest'>) {
    if (this.#seq === undefined) return
    this.#pass([
      shownOf({ seq: this.#seq, type: entry.type, entry: `{"seq":${this.#seq}${entry.rest}` }, true),
    ])
  }

  catchUp() {
    this.#mustRead = true
    this.#wake()
  }

  /** One read of the table at a time. */
  #wake() {
    if (this.#isReading || !this.#isBehind) return
    this.#isReading = true
    this.#read().catch((error: unknown) => {
      this.#logger.warn({ err: error, ...aboutLog(this.#log) }, 'the end of a log could not be read')
      this.#isReading = false
      this.#mustRead = true
      setTimeout(() => {
        if (this.followers.size > 0) this.#wake()
      }, retryAfterMs).unref()
    })
  }

  get #isBehind() {
    return this.#seq !== undefined && (this.#mustRead || this.#known > this.#seq)
  }

  async #read() {
    while (this.#isBehind) {
      this.#mustRead = false
      const known = this.#known
      const entries = await this.#pages.one({ log: this.#log, after: this.seq })
      this.#seq = entries.at(-1)?.seq ?? this.seq
      this.#pass(entries.map((entry) => shownOf(entry, false)))
      if (entries.length === pageSize) this.#mustRead = true
      else this.#seq = Math.max(this.#seq, known) // entries that are announced and missing were erased since
    }
    this.#isReading = false // set in the turn that found nothing more, so that no notification is missed
  }

  #pass(entries: readonly ShownEntry[]) {
    if (entries.length === 0) return
    for (const follower of this.followers) guarded(this.#logger, () => follower(entries))
  }
}

/** A follower that fails must not fail the write. */
function guarded(logger: Logger, pass: () => void) {
  try {
    pass()
  } catch (error) {
    logger.error({ err: error }, 'a follower of a log failed')
  }
}

/** An ephemeral entry carries no id, so that a reader that resumes misses no stored one. */
export function shownOf(kept: KeptEntry, isEphemeral: boolean): ShownEntry {
  let frame: Buffer | undefined
  return {
    ...kept,
    isEphemeral,
    get frame() {
      const id = isEphemeral ? '' : `id: ${kept.seq}\n`
      return (frame ??= Buffer.from(`${id}event: ${kept.type}\ndata: ${kept.entry}\n\n`))
    },
  }
}

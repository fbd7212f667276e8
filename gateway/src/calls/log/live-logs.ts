import type { Logger } from 'pino'
import type { Database } from '../../database/database.ts'
import type { Signals } from '../../database/signals.ts'
import { secondMs } from '../../foundation/clock.ts'
import * as store from './log.store.ts'
import { withSeq, type KeptEntry, type LogRef, type Stamped } from './entries.ts'

const pageSize = 1000
const againAfterMs = secondMs

/** An entry on its way to readers, with the bytes every one of them is sent. */
export interface ShownEntry extends KeptEntry {
  isEphemeral: boolean
  readonly frame: Buffer
}

/** Told of new entries of one log, in order and without holes among those that are kept. */
export type Follower = (entries: readonly ShownEntry[]) => void

/** Told of every entry that this process writes or shows. */
export type Watcher = (log: LogRef, entry: ShownEntry) => void

/** The ends of the logs that somebody on this gateway reads, whichever gateway writes to them. */
export class LiveLogs {
  readonly #database: Database
  readonly #logger: Logger
  readonly #liveLogs = new Map<string, LiveLog>()
  readonly #watchers = new Set<Watcher>()

  constructor(database: Database, signals: Signals, gateway: string, logger: Logger) {
    this.#database = database
    this.#logger = logger
    signals.on(
      store.logChannel,
      (payload) => this.#hear(payload, gateway),
      () => {
        for (const tail of this.#liveLogs.values()) tail.catchUp()
      },
    )
  }

  /** From where the log stands now: told of everything after that `seq`, and of nothing before; `stop` lets go of it. */
  async follow(log: string, follower: Follower): Promise<{ seq: number; stop: () => void }> {
    const tail = this.#liveLogs.get(log) ?? new LiveLog(this.#database, log, this.#logger)
    this.#liveLogs.set(log, tail)
    tail.wanted += 1
    const letGo = () => {
      tail.wanted -= 1
      if (tail.wanted === 0) this.#liveLogs.delete(log)
    }
    try {
      await tail.start()
    } catch (error) {
      letGo()
      throw error
    }
    tail.followers.add(follower)
    const stop = () => {
      if (tail.followers.delete(follower)) letGo()
    }
    return { seq: tail.seq, stop }
  }

  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** This gateway wrote. */
  grew(log: LogRef, entries: readonly KeptEntry[]) {
    const tail = this.#liveLogs.get(log.id)
    if (!tail && this.#watchers.size === 0) return
    const shown = entries.map((entry) => shownOf(entry, false))
    tail?.grew(shown)
    for (const entry of shown) this.#tellWatchers(log, entry)
  }

  /** This gateway may have written, and does not know it. */
  lookAgain({ id }: LogRef) {
    this.#liveLogs.get(id)?.catchUp()
  }

  /** This gateway shows what is never kept. */
  showed(log: LogRef, entry: Stamped) {
    this.#liveLogs.get(log.id)?.showed(entry)
    if (this.#watchers.size === 0) return
    this.#tellWatchers(log, shownOf(withSeq(entry, 0), true))
  }

  #tellWatchers(log: LogRef, entry: ShownEntry) {
    for (const watcher of this.#watchers) told(this.#logger, () => watcher(log, entry))
  }

  #hear(payload: string, own: string) {
    const [gateway, ...words] = payload.split('\n')
    if (gateway === own) return
    for (const word of words) {
      const [log, what, rest] = JSON.parse(word) as [string, number | string, string?]
      const tail = this.#liveLogs.get(log)
      if (typeof what === 'number') tail?.heard(what)
      else if (rest !== undefined) tail?.showed({ type: what, rest })
    }
  }
}

class LiveLog {
  readonly followers = new Set<Follower>()
  /** How many follow it, or are about to. */
  wanted = 0
  readonly #database: Database
  readonly #log: string
  readonly #logger: Logger
  #seq: number | undefined
  /** What others say the log has grown to. */
  #known = 0
  /** Words of others may have been missed. */
  #mustLook = false
  #starting: Promise<void> | undefined
  #isReading = false

  constructor(database: Database, log: string, logger: Logger) {
    this.#database = database
    this.#log = log
    this.#logger = logger
  }

  get seq(): number {
    return this.#seq ?? 0
  }

  start(): Promise<void> {
    return (this.#starting ??= this.#find())
  }

  async #find() {
    const found = await store.findLog(this.#database, this.#log)
    this.#seq = found?.seq ?? 0
    this.#wake()
  }

  /** Written by this gateway: passed on as it is, unless another wrote in between. */
  grew(entries: readonly ShownEntry[]) {
    const [first] = entries
    if (!first) return
    if (this.#seq === undefined || this.#isReading || first.seq !== this.#seq + 1)
      return this.heard(first.seq + entries.length - 1)
    this.#seq += entries.length
    this.#tell(entries)
  }

  heard(seq: number) {
    this.#known = Math.max(this.#known, seq)
    this.#wake()
  }

  showed(entry: Pick<Stamped, 'type' | 'rest'>) {
    if (this.#seq === undefined) return
    this.#tell([
      shownOf({ seq: this.#seq, type: entry.type, entry: `{"seq":${this.#seq}${entry.rest}` }, true),
    ])
  }

  catchUp() {
    this.#mustLook = true
    this.#wake()
  }

  /** One reading at a time, for whatever is missing by then. */
  #wake() {
    if (this.#isReading || !this.#isBehind) return
    this.#isReading = true
    this.#read().catch((error: unknown) => {
      this.#logger.warn({ err: error }, 'the end of a log could not be read')
      this.#isReading = false
      this.#mustLook = true
      setTimeout(() => {
        if (this.followers.size > 0) this.#wake()
      }, againAfterMs).unref()
    })
  }

  get #isBehind() {
    return this.#seq !== undefined && (this.#mustLook || this.#known > this.#seq)
  }

  async #read() {
    while (this.#isBehind) {
      this.#mustLook = false
      const known = this.#known
      const entries = await store.readAfter(this.#database, this.#log, this.seq, pageSize)
      this.#seq = entries.at(-1)?.seq ?? this.seq
      this.#tell(entries.map((entry) => shownOf(entry, false)))
      if (entries.length === pageSize) this.#mustLook = true
      else this.#seq = Math.max(this.#seq, known) // what was written and is not there was erased since
    }
    this.#isReading = false // in the turn that found nothing more, so that no word goes unnoticed
  }

  #tell(entries: readonly ShownEntry[]) {
    if (entries.length === 0) return
    for (const follower of this.followers) told(this.#logger, () => follower(entries))
  }
}

/** The entry is kept whatever becomes of whoever is told of it. */
function told(logger: Logger, tell: () => void) {
  try {
    tell()
  } catch (error) {
    logger.error({ err: error }, 'somebody who follows a log failed')
  }
}

/** An entry that is not kept carries no id, so that whoever resumes misses nothing that is. */
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

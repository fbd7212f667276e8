import type { Logger } from 'pino'
import type { Database } from '../../database/database.ts'
import type { Signals } from '../../database/signals.ts'
import * as store from './log.store.ts'
import { withSeq, type KeptEntry, type LogRef, type Stamped } from './stamping.ts'

const pageSize = 1000

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
export class Tails {
  readonly #database: Database
  readonly #logger: Logger
  readonly #tails = new Map<string, Tail>()
  readonly #watchers = new Set<Watcher>()

  constructor(database: Database, signals: Signals, gateway: string, logger: Logger) {
    this.#database = database
    this.#logger = logger
    signals.on(
      store.logChannel,
      (payload) => this.#hear(payload, gateway),
      () => {
        for (const tail of this.#tails.values()) tail.catchUp()
      },
    )
  }

  /** From where the log stands now; `stop` lets go of it. */
  async follow(log: string, follower: Follower): Promise<{ seq: number; stop: () => void }> {
    let tail = this.#tails.get(log)
    if (!tail) {
      tail = new Tail(this.#database, log, this.#logger)
      this.#tails.set(log, tail)
    }
    tail.followers.add(follower)
    const stop = () => {
      tail.followers.delete(follower)
      if (tail.followers.size === 0 && this.#tails.get(log) === tail) this.#tails.delete(log)
    }
    try {
      return { seq: await tail.start(follower), stop }
    } catch (error) {
      stop()
      throw error
    }
  }

  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** This gateway wrote. */
  grew(log: LogRef, entries: readonly KeptEntry[]) {
    const tail = this.#tails.get(log.id)
    if (!tail && this.#watchers.size === 0) return
    const shown = entries.map((entry) => shownOf(entry, false))
    tail?.grew(shown)
    for (const watcher of this.#watchers) for (const entry of shown) watcher(log, entry)
  }

  /** This gateway shows what is never kept. */
  showed(log: LogRef, entry: Stamped) {
    this.#tails.get(log.id)?.showed(entry)
    if (this.#watchers.size === 0) return
    const shown = shownOf(withSeq(entry, 0), true)
    for (const watcher of this.#watchers) watcher(log, shown)
  }

  #hear(payload: string, own: string) {
    const [gateway, ...words] = payload.split('\n')
    if (gateway === own) return
    for (const word of words) {
      const [log, what, rest] = JSON.parse(word) as [string, number | string, string?]
      const tail = this.#tails.get(log)
      if (typeof what === 'number') tail?.heard(what)
      else if (rest !== undefined) tail?.showed({ type: what, rest })
    }
  }
}

class Tail {
  readonly followers = new Set<Follower>()
  readonly #database: Database
  readonly #log: string
  readonly #logger: Logger
  #seq: number | undefined
  /** What others say the log has grown to. */
  #known = 0
  #starting: Promise<number> | undefined
  #reading: Promise<void> | undefined

  constructor(database: Database, log: string, logger: Logger) {
    this.#database = database
    this.#log = log
    this.#logger = logger
  }

  /** Where this follower starts: whatever comes after is told to it. */
  async start(follower: Follower): Promise<number> {
    this.#starting ??= this.#find()
    await this.#starting
    // told from here on, wherever the others are
    return this.followers.has(follower) ? (this.#seq ?? 0) : 0
  }

  async #find(): Promise<number> {
    const found = await store.findLog(this.#database, this.#log)
    this.#seq = found?.seq ?? 0
    if (this.#known > this.#seq) this.catchUp()
    return this.#seq
  }

  /** Written by this gateway: passed on as it is, unless another wrote in between. */
  grew(entries: readonly ShownEntry[]) {
    const [first] = entries
    if (!first) return
    if (this.#seq === undefined || this.#reading || first.seq !== this.#seq + 1)
      return this.heard(first.seq + entries.length - 1)
    this.#seq += entries.length
    this.#tell(entries)
  }

  heard(seq: number) {
    this.#known = Math.max(this.#known, seq)
    if (this.#seq !== undefined && this.#known > this.#seq) this.catchUp()
  }

  showed(entry: Pick<Stamped, 'type' | 'rest'>) {
    if (this.#seq === undefined) return
    this.#tell([
      shownOf({ seq: this.#seq, type: entry.type, entry: `{"seq":${this.#seq}${entry.rest}` }, true),
    ])
  }

  /** Reads what is missing from the table, one reading at a time. */
  catchUp() {
    if (this.#seq === undefined || this.#reading) return
    this.#reading = this.#read()
      .catch((error: unknown) => this.#logger.warn({ err: error }, 'the end of a log could not be read'))
      .finally(() => {
        this.#reading = undefined
        if (this.#seq !== undefined && this.#known > this.#seq && this.followers.size > 0)
          setTimeout(() => this.catchUp(), 100).unref()
      })
  }

  async #read() {
    for (;;) {
      const entries = await store.readAfter(this.#database, this.#log, this.#seq ?? 0, pageSize)
      const last = entries.at(-1)
      if (!last) return
      this.#seq = last.seq
      this.#tell(entries.map((entry) => shownOf(entry, false)))
      if (entries.length < pageSize && last.seq >= this.#known) return
    }
  }

  #tell(entries: readonly ShownEntry[]) {
    for (const follower of this.followers) follower(entries)
  }
}

/** An entry that is not kept carries no id, so that whoever resumes misses nothing that is. */
function shownOf(kept: KeptEntry, isEphemeral: boolean): ShownEntry {
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

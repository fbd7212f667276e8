import type { LiveLogs, ShownEntry } from './live-logs.ts'
import type { KeptEntry } from './entries.ts'

const defaultPageSize = 500

export interface LogCursorParts {
  log: string
  liveLogs: Pick<LiveLogs, 'follow'>
  read: (after: number, limit: number) => Promise<KeptEntry[]>
  /** Entries from the table; the next page is read once this has resolved. */
  onPage: (entries: readonly KeptEntry[]) => Promise<void> | void
  /** Entries as they are written, once everything before them came by pages. */
  onLive: (entries: readonly ShownEntry[]) => void
  pageSize?: number
}

/** Reads one log from the entry behind a `seq` on: first the table, then live, each kept entry once and in order. */
export class LogCursor {
  readonly #parts: LogCursorParts
  /** Every kept entry up to here was read, or is no longer in the table. */
  #seq = 0
  /** How long the log is known to be. */
  #grownTo = 0
  #isCurrent = false
  #isStopped = false
  #unfollow = () => {}

  constructor(parts: LogCursorParts) {
    this.#parts = parts
  }

  /** Whether entries come live. */
  get isCurrent(): boolean {
    return this.#isCurrent
  }

  /** Resolves once the cursor is current, or stopped, with the `seq` up to which entries came by pages. */
  async start(after: number): Promise<number> {
    this.#seq = after
    const { log, liveLogs } = this.#parts
    const { seq, stop } = await liveLogs.follow(log, (entries) => this.#take(entries))
    this.#unfollow = stop
    if (this.#isStopped) {
      stop()
      return after
    }
    this.#grownTo = Math.max(this.#grownTo, seq)
    try {
      return await this.#catchUp()
    } catch (error) {
      this.stop()
      throw error
    }
  }

  /** Reads the table again from behind `after`: for a reader that could not keep up with the live entries. */
  async restart(after: number) {
    this.#isCurrent = false
    this.#grownTo = Math.max(this.#grownTo, this.#seq)
    this.#seq = after
    await this.#catchUp()
  }

  stop() {
    this.#isStopped = true
    this.#isCurrent = false
    this.#unfollow()
  }

  async #catchUp(): Promise<number> {
    const { read, onPage, pageSize = defaultPageSize } = this.#parts
    while (this.#seq < this.#grownTo && !this.#isStopped) {
      const grownTo = this.#grownTo
      const page = await read(this.#seq, pageSize)
      const last = page.at(-1)?.seq ?? this.#seq
      // what is missing behind the last page was erased
      this.#seq = page.length < pageSize ? Math.max(last, grownTo) : last
      if (!this.#isStopped && page.length > 0) await onPage(page)
    }
    this.#isCurrent = !this.#isStopped
    return this.#seq
  }

  #take(entries: readonly ShownEntry[]) {
    if (this.#isStopped) return
    if (this.#isCurrent) return this.#pass(entries)
    const last = entries.findLast(({ isEphemeral }) => !isEphemeral)
    if (last) this.#grownTo = Math.max(this.#grownTo, last.seq) // read from the table later
  }

  #pass(entries: readonly ShownEntry[]) {
    const read = this.#seq
    const fresh = entries.filter(({ isEphemeral, seq }) => isEphemeral || seq > read)
    this.#seq = fresh.findLast(({ isEphemeral }) => !isEphemeral)?.seq ?? read
    if (fresh.length > 0) this.#parts.onLive(fresh)
  }
}

import type { Database } from '../../database/database.ts'
import type { EventStream } from './event-stream.ts'
import * as store from './log.store.ts'
import { caughtUp, gap } from './markers.ts'
import { shownOf, type ShownEntry, type LiveLogs } from './live-logs.ts'

const pageSize = 200
/** What is kept for a reader that does not take it. */
const mostWaiting = 1000

/** A log as somebody is about to read it. */
export interface ReadLog {
  id: string
  agent: string
  /** Whether it is a call's, which ends. */
  isCall: boolean
  seq: number
  /** Whether nothing more is written to it. */
  sealed: boolean
}

/** One reader of one log: first what it missed, from the table, then what comes, as it comes. */
export class LogReader {
  readonly #stream: EventStream
  readonly #log: ReadLog
  /** Everything that is kept up to here was sent, or told as missing. */
  #cursor: number
  /** What the log has grown to, as far as this reader was told. */
  #grownTo: number
  #isCurrent = false
  #hasEnded: boolean
  #waiting: ShownEntry[] = []
  #liveWaiting = 0

  constructor(stream: EventStream, log: ReadLog, after: number) {
    this.#stream = stream
    this.#log = log
    this.#cursor = after
    this.#grownTo = log.seq
    this.#hasEnded = log.sealed
  }

  /** Answers once the reader is current; from then on it is told. */
  async start(database: Database, liveLogs: LiveLogs) {
    const { seq, stop } = await liveLogs.follow(this.#log.id, (entries) => this.#take(entries))
    this.#stream.onClose = stop
    if (this.#stream.isOver) return stop()
    this.#grownTo = Math.max(this.#grownTo, seq)
    await this.#replay(database)
    if (this.#stream.isOver) return
    this.#stream.send(caughtUp(this.#cursor))
    if (this.#hasEnded) return this.#stream.end()
    this.#isCurrent = true
    this.#stream.onDrain = () => this.#sendWaiting()
    this.#sendWaiting()
  }

  async #replay(database: Database) {
    while (this.#cursor < this.#grownTo && !this.#stream.isOver) {
      const grownTo = this.#grownTo
      const entries = await store.readAfter(database, this.#log.id, this.#cursor, pageSize)
      for (const entry of entries) this.#send(shownOf(entry, false))
      if (entries.length < pageSize) this.#miss(grownTo)
      await this.#stream.drained()
    }
  }

  #take(entries: readonly ShownEntry[]) {
    for (const entry of entries) {
      if (!this.#isCurrent) {
        if (!entry.isEphemeral) this.#grownTo = entry.seq // read from the table in its turn
      } else if (this.#stream.isFull) this.#keepWaiting(entry)
      else this.#sendLive(entry)
    }
  }

  /** Of too many the oldest go; what is never kept anyway goes first. */
  #keepWaiting(entry: ShownEntry) {
    if (this.#waiting.length >= mostWaiting) {
      if (entry.isEphemeral) return
      if (this.#liveWaiting > 0) this.#waiting = this.#waiting.filter(({ isEphemeral }) => !isEphemeral)
      else this.#waiting.shift()
      this.#liveWaiting = 0
    }
    this.#waiting.push(entry)
    if (entry.isEphemeral) this.#liveWaiting += 1
  }

  #sendWaiting() {
    const waiting = this.#waiting
    let sent = 0
    for (const entry of waiting) {
      if (this.#stream.isFull || this.#stream.isOver) break
      this.#sendLive(entry)
      sent += 1
    }
    this.#waiting = waiting.slice(sent)
    this.#liveWaiting = this.#waiting.filter(({ isEphemeral }) => isEphemeral).length
  }

  #sendLive(entry: ShownEntry) {
    this.#send(entry)
    if (this.#hasEnded) this.#stream.end()
  }

  #send(entry: ShownEntry) {
    if (entry.isEphemeral) return this.#stream.send(entry.frame)
    this.#miss(entry.seq - 1)
    if (this.#log.isCall && entry.type === 'call.ended') this.#hasEnded = true
    if (entry.seq <= this.#cursor) return // a cursor from the future
    this.#stream.send(entry.frame)
    this.#cursor = entry.seq
  }

  /** Whatever is kept up to there and was not sent is told as missing. */
  #miss(upTo: number) {
    if (upTo <= this.#cursor) return
    this.#stream.send(gap(this.#cursor + 1, upTo))
    this.#cursor = upTo
  }
}

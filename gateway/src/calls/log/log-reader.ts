import type { Database } from '../../database/database.ts'
import type { EventStream } from './event-stream.ts'
import { LogCursor } from './log-cursor.ts'
import * as store from './log.store.ts'
import { shownOf, type ShownEntry, type LiveLogs } from './live-logs.ts'
import type { KeptEntry } from './entries.ts'

const pageSize = 200
/** How many entries wait for a slow reader. */
const mostWaiting = 1000

/** A marker is about the log and not an entry: it carries no id, and so moves no cursor. */
const marker = (fields: { type: string; [name: string]: unknown }) =>
  Buffer.from(`event: ${fields.type}\ndata: ${JSON.stringify(fields)}\n\n`)

const caughtUp = (seq: number) => marker({ type: 'log.caught_up', seq })

/** The first and the last entry that are missing. */
const gap = (from: number, to: number) => marker({ type: 'log.gap', from, to })

/** A log that a reader is about to read. */
export interface ReadLog {
  id: string
  agent: string
  /** Whether it is a call's, which ends. */
  isCall: boolean
  seq: number
  /** Whether nothing more is written to it. */
  sealed: boolean
}

/** The bytes that a reader is sent for an entry; undefined if the reader is not shown it. */
export type FrameOf = (entry: ShownEntry) => Buffer | undefined

const wholeFrame: FrameOf = ({ frame }) => frame

/** One event stream that reads one log: sends each entry once, and says which entries are missing. */
export class LogReader {
  readonly #stream: EventStream
  readonly #log: ReadLog
  /** Every kept entry up to here was sent, or reported as missing. */
  #sent: number
  #isCaughtUp = false
  #hasEnded: boolean
  readonly #frameOf: FrameOf
  #waiting: ShownEntry[] = []
  #liveWaiting = 0

  constructor(stream: EventStream, log: ReadLog, after: number, frameOf: FrameOf = wholeFrame) {
    this.#frameOf = frameOf
    this.#stream = stream
    this.#log = log
    this.#sent = after
    this.#hasEnded = log.sealed
  }

  /** Resolves once the stream has every entry so far; from then on it is sent each new one. */
  async start(database: Database, liveLogs: LiveLogs) {
    const { id, seq } = this.#log
    const cursor = new LogCursor({
      log: id,
      liveLogs,
      read: (after, limit) => store.readAfter(database, id, after, limit),
      onPage: (entries) => this.#sendPage(entries),
      onLive: (entries) => this.#take(entries),
      pageSize,
    })
    this.#stream.onClose = () => cursor.stop()
    if (this.#stream.isOver) return
    const replayed = await cursor.start(Math.min(this.#sent, seq))
    if (this.#stream.isOver) return cursor.stop()
    this.#miss(replayed)
    this.#stream.send(caughtUp(this.#sent))
    this.#isCaughtUp = true
    if (this.#hasEnded) return this.#stream.end()
    this.#stream.onDrain = () => this.#sendWaiting()
    this.#sendWaiting()
  }

  async #sendPage(entries: readonly KeptEntry[]) {
    for (const entry of entries) this.#send(shownOf(entry, false))
    await this.#stream.drained()
  }

  #take(entries: readonly ShownEntry[]) {
    for (const entry of entries)
      if (!this.#isCaughtUp || this.#stream.isFull) this.#keepWaiting(entry)
      else this.#sendLive(entry)
  }

  /** Past the bound the oldest are dropped, ephemeral ones first. */
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
    if (entry.isEphemeral) return this.#show(entry)
    this.#miss(entry.seq - 1)
    if (this.#log.isCall && entry.type === 'call.ended') this.#hasEnded = true
    if (entry.seq <= this.#sent) return // the reader asked for entries that were not written yet
    this.#show(entry)
    this.#sent = entry.seq
  }

  #show(entry: ShownEntry) {
    const frame = this.#frameOf(entry)
    if (frame) this.#stream.send(frame)
  }

  /** Reports the entries up to there that were not sent as missing. */
  #miss(upTo: number) {
    if (upTo <= this.#sent) return
    this.#stream.send(gap(this.#sent + 1, upTo))
    this.#sent = upTo
  }
}

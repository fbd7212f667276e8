import type { Entry } from '@switchroom/contract/log'
import type { LiveLogs } from '../log/live-logs.ts'
import { LogCursor } from '../log/log-cursor.ts'
import type { Log } from '../log/log.ts'
import { entryOf, type KeptEntry } from '../log/entries.ts'

/** All entries of a log in memory, from the first to the newest, whichever gateway writes them. */
export class FollowedLog {
  readonly #cursor: LogCursor
  readonly #onGrown: () => void
  readonly #entries: Entry[] = []
  #grown = Promise.withResolvers<void>()
  #isStopped = false

  constructor(id: string, parts: { liveLogs: LiveLogs; log: Log }, onGrown: () => void) {
    this.#onGrown = onGrown
    this.#cursor = new LogCursor({
      log: id,
      liveLogs: parts.liveLogs,
      read: (after, limit) => parts.log.read(id, after, limit),
      onPage: (entries) => this.#add(entries),
      onLive: (entries) => this.#hear(entries.filter(({ isEphemeral }) => !isEphemeral)),
    })
  }

  async start() {
    await this.#cursor.start(0)
    if (!this.#isStopped) this.#onGrown()
  }

  stop() {
    this.#isStopped = true
    this.#cursor.stop()
    this.#grown.resolve()
  }

  /** Without the ephemeral ones. */
  get entries(): readonly Entry[] {
    return this.#entries
  }

  get seq(): number {
    return this.#entries.at(-1)?.seq ?? 0
  }

  get isRead(): boolean {
    return this.#cursor.isCurrent
  }

  /** Resolves once the entry with this `seq` has arrived here. */
  async untilSeen(seq: number) {
    while (!this.#isStopped && this.seq < seq) await this.#grown.promise
  }

  #hear(kept: readonly KeptEntry[]) {
    if (kept.length === 0) return
    this.#add(kept)
    const { resolve } = this.#grown
    this.#grown = Promise.withResolvers()
    resolve()
    this.#onGrown()
  }

  #add(entries: readonly KeptEntry[]) {
    for (const entry of entries) this.#entries.push(entryOf(entry))
  }
}

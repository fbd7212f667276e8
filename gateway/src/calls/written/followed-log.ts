import type { Entry } from '@switchroom/contract/log'
import type { Log } from '../log/log.ts'
import { entryOf } from '../log/stamping.ts'
import type { ShownEntry, LiveLogs } from '../log/live-logs.ts'

const pageSize = 1000

/** A log as it stands and as it grows, whoever writes to it. */
export class FollowedLog {
  readonly #id: string
  readonly #onGrown: () => void
  #entries: Entry[] = []
  /** What came on the tail before the log was read. */
  #early: Entry[] | undefined = []
  #grown = Promise.withResolvers<void>()
  #stop = () => {}
  #isStopped = false

  constructor(id: string, onGrown: () => void) {
    this.#id = id
    this.#onGrown = onGrown
  }

  async start(liveLogs: LiveLogs, log: Log) {
    const { stop } = await liveLogs.follow(this.#id, (shown) => this.#hear(shown))
    this.#stop = stop
    const read = await this.#readAll(log).catch((error: unknown) => {
      stop()
      throw error
    })
    const early = this.#early ?? []
    this.#early = undefined
    this.#entries = read
    this.#add(early)
    if (this.#isStopped) return stop()
    this.#onGrown()
  }

  async #readAll(log: Log): Promise<Entry[]> {
    const read: Entry[] = []
    for (;;) {
      const page = await log.read(this.#id, read.at(-1)?.seq ?? 0, pageSize)
      read.push(...page.map(entryOf))
      if (page.length < pageSize) return read
    }
  }

  stop() {
    this.#isStopped = true
    this.#stop()
    this.#grown.resolve()
  }

  /** Without what is never kept. */
  get entries(): readonly Entry[] {
    return this.#entries
  }

  get seq(): number {
    return this.#entries.at(-1)?.seq ?? 0
  }

  get isRead(): boolean {
    return this.#early === undefined
  }

  /** Until the tail has brought what was written elsewhere in this process. */
  async untilSeen(seq: number) {
    while (!this.#isStopped && this.seq < seq) await this.#grown.promise
  }

  #hear(shown: readonly ShownEntry[]) {
    const kept = shown.filter(({ isEphemeral }) => !isEphemeral).map(entryOf)
    if (kept.length === 0) return
    if (this.#early) {
      this.#early.push(...kept)
      return
    }
    this.#add(kept)
    const { resolve } = this.#grown
    this.#grown = Promise.withResolvers()
    resolve()
    this.#onGrown()
  }

  #add(entries: readonly Entry[]) {
    const known = this.seq
    this.#entries.push(...entries.filter(({ seq }) => seq > known))
  }
}

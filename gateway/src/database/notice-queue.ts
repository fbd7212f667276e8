import type { Logger } from 'pino'
import { tell, type Hear } from './signals.ts'

/** With more waiting the connection is stuck, and what comes is dropped: gateways catch up without it. */
const mostWaiting = 1000

export interface Notice {
  channel: string
  payload: string
}

/** Notices on their way: this gateway has its own at once, the others in batches, one batch at a time. */
export class NoticeQueue {
  readonly #hearers = new Map<string, Hear>()
  readonly #logger: Logger
  readonly #send: (notices: readonly Notice[]) => Promise<void>
  #waiting: Notice[] = []
  #sending: Promise<void> | undefined

  constructor(logger: Logger, send: (notices: readonly Notice[]) => Promise<void>) {
    this.#logger = logger
    this.#send = send
  }

  on(channel: string, hear: Hear) {
    this.#hearers.set(channel, hear)
  }

  get channels(): string[] {
    return [...this.#hearers.keys()]
  }

  heard(channel: string, payload: string) {
    tell(this.#logger, this.#hearers.get(channel), channel, payload)
  }

  add(channel: string, payload: string) {
    const isKnown = this.#waiting.some((notice) => notice.channel === channel && notice.payload === payload)
    if (isKnown || this.#waiting.length >= mostWaiting) return
    this.#waiting.push({ channel, payload })
    this.#sending ??= this.#sendAll()
  }

  async settled() {
    await this.#sending
  }

  async #sendAll() {
    await Promise.resolve() // notices of the same turn go together
    while (this.#waiting.length > 0) {
      const notices = this.#waiting
      this.#waiting = []
      for (const { channel, payload } of notices) this.heard(channel, payload)
      await this.#send(notices).catch((error: unknown) =>
        this.#logger.warn({ err: error }, 'other gateways were not notified: they find out by themselves'),
      )
    }
    this.#sending = undefined
  }
}

import { ephemeralTypes, type AppendEntries, type NewEntry } from '@switchroom/contract/log'
import type { Logger } from 'pino'
import { GatewayRefusal, type GatewayClient } from '../gateway-client.ts'

const beatEveryMs = 10_000
/** What is only seen live may wait so long for company. */
const gatherMs = 100
const mostEntries = 50
/** Past this many waiting batches, live-only entries are dropped: the gateway is unreachable. */
const mostWaiting = 500

type Sent = AppendEntries['entries'][number]

interface Waiting {
  entries: Sent[]
  settle: ((error?: Error) => void) | undefined
}

/** What happens in one call, sent to the gateway in numbered batches: in order, each once. */
export class CallLog {
  readonly #gateway: Pick<GatewayClient, 'append' | 'beat'>
  readonly #call: string
  readonly #logger: Logger
  readonly #beating: NodeJS.Timeout
  #waiting: Waiting[] = []
  #batch = 0
  /** What was sent under the next number without an answer: the gateway may have it. */
  #unanswered: Sent[] | undefined
  #sending: Promise<void> | undefined
  #gathering: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(gateway: Pick<GatewayClient, 'append' | 'beat'>, call: string, logger: Logger) {
    this.#gateway = gateway
    this.#call = call
    this.#logger = logger
    this.#beating = setInterval(() => void this.#beat(), beatEveryMs)
    this.#beating.unref()
  }

  /** Whether the call's log takes nothing any more. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Resolves once the entries are kept, all or none. */
  readonly keep = (entries: readonly NewEntry[]): Promise<void> => {
    if (this.#isClosed) return Promise.reject(new GatewayRefusal(409, 'this call has ended'))
    if (entries.length === 0) return Promise.resolve()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    promise.catch(() => {}) // callers that await it see the rejection
    const settle = (error?: Error) => (error ? reject(error) : resolve())
    this.#waiting.push({ entries: [...entries], settle })
    this.#send()
    return promise
  }

  /** Shows what is seen live and never kept, in its place among the rest. */
  readonly show = (entries: readonly NewEntry[]): void => {
    if (this.#isClosed || entries.length === 0 || this.#waiting.length > mostWaiting) return
    const flagged = entries.map(({ type, data }) =>
      ephemeralTypes.has(type) ? { type, data } : { type, data, ephemeral: true },
    )
    this.#waiting.push({ entries: flagged, settle: undefined })
    if (this.#waiting.length >= mostEntries) return this.#send()
    this.#gathering ??= setTimeout(() => this.#send(), gatherMs)
  }

  /** Everything so far has been sent, or never will be. */
  async flushed(): Promise<void> {
    this.#send()
    while (this.#sending) await this.#sending
  }

  /** Nothing is sent from now on: the call has ended. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#beating)
    clearTimeout(this.#gathering)
    for (const { settle } of this.#waiting) settle?.(new GatewayRefusal(409, 'this call has ended'))
    this.#waiting = []
  }

  #send() {
    clearTimeout(this.#gathering)
    this.#gathering = undefined
    if (this.#sending || this.#waiting.length === 0) return
    // what happens in one moment goes in one request
    this.#sending = new Promise<void>((resolve) => void setImmediate(resolve))
      .then(() => this.#sendAll())
      .finally(() => {
        this.#sending = undefined
        if (this.#waiting.length > 0) this.#send()
      })
  }

  async #sendAll() {
    while (this.#waiting.length > 0 && !this.#isClosed) {
      const batch = this.#waiting
      this.#waiting = []
      await this.#tell(batch)
    }
  }

  async #tell(waiting: Waiting[]) {
    const entries = waiting.flatMap((one) => one.entries)
    try {
      // Other entries under its number would count as a repetition, and be lost.
      if (this.#unanswered) await this.#append(this.#unanswered)
      await this.#append(entries)
      for (const { settle } of waiting) settle?.()
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error))
      this.#logger.warn({ err: failure }, 'entries were not kept')
      for (const { settle } of waiting) settle?.(failure)
      if (failure instanceof GatewayRefusal && [404, 409].includes(failure.status)) this.close()
    }
  }

  async #append(entries: Sent[]) {
    this.#unanswered = entries
    try {
      await this.#gateway.append(this.#call, { entries, batch: this.#batch + 1 })
      this.#batch += 1
      this.#unanswered = undefined
    } catch (error) {
      if (error instanceof GatewayRefusal) this.#unanswered = undefined
      throw error
    }
  }

  async #beat() {
    if (this.#sending) return
    await this.#gateway.beat(this.#call).catch((error: unknown) => {
      if (error instanceof GatewayRefusal && [404, 409].includes(error.status)) this.close()
    })
  }
}

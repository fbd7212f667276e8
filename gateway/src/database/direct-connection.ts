import { Client } from 'pg'
import type { Logger } from 'pino'
import { secondMs } from '../foundation/clock.ts'

const againAfterMs = secondMs

/** By a notice of PostgreSQL; `isOwn` if it was sent on this connection. */
export type OnNotice = (channel: string, payload: string, isOwn: boolean) => void

/** The one connection that belongs to this gateway alone: it holds the lock that proves its life, and hears notices. */
export class DirectConnection {
  readonly #connectionString: string
  readonly #logger: Logger
  /** Run as soon as it is open. */
  readonly #first: { text: string; values: string[] }[] = []
  readonly #reopened: (() => void)[] = []
  #onNotice: OnNotice = () => {}
  #client: Client | undefined
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(connectionString: string, logger: Logger) {
    this.#connectionString = connectionString
    this.#logger = logger
  }

  /** Before the start: takes a lock that the connection holds until it is gone, and this process with it. */
  prove(takesLock: string, ...values: string[]) {
    this.#first.push({ text: takesLock, values })
  }

  /** Before the start. */
  listen(channels: readonly string[], onNotice: OnNotice) {
    this.#onNotice = onNotice
    for (const channel of channels) this.#first.push({ text: `listen "${channel}"`, values: [] })
  }

  /** Called when it was gone for a while, and is back. */
  onReopened(work: () => void) {
    this.#reopened.push(work)
  }

  /** Whether there is a connection to send on. */
  get isOpen(): boolean {
    return this.#client !== undefined
  }

  async query(name: string, text: string, values: unknown[]) {
    await this.#client?.query({ name, text, values })
  }

  async start() {
    const client = new Client({
      connectionString: this.#connectionString,
      application_name: 'switchroom-signals',
      keepAlive: true,
      connectionTimeoutMillis: 5 * secondMs,
      // What it writes is notices: PostgreSQL lets one gateway at a time commit them, so none waits for the disk.
      options: '-c synchronous_commit=off',
    })
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    client.on('notification', ({ channel, payload = '', processId }) =>
      this.#onNotice(channel, payload, processId === processIdOf(client)),
    )
    try {
      await client.connect()
      for (const first of this.#first) await client.query(first)
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
    this.#client = client
    if (this.#isStopped) await client.end()
  }

  async stop() {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#client?.end()
  }

  #lost(client: Client) {
    if (this.#isStopped || client !== this.#client) return
    this.#client = undefined
    this.#logger.warn('lost the connection that hears other gateways')
    void client.end().catch(() => {})
    this.#again(0)
  }

  #again(afterMs: number) {
    this.#timer = setTimeout(() => void this.#startAgain(), afterMs)
    this.#timer.unref()
  }

  async #startAgain() {
    try {
      await this.start()
    } catch {
      if (!this.#isStopped) this.#again(againAfterMs)
      return
    }
    for (const reopened of this.#reopened) reopened()
  }
}

// The client knows it from the server, but its types do not say so.
const processIdOf = (client: Client) => (client as Client & { processID?: number }).processID

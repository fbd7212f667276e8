import { Client } from 'pg'
import type { Logger } from 'pino'
import { secondMs } from '../foundation/clock.ts'

const againAfterMs = secondMs
/** What PostgreSQL carries in one notification is shorter than 8000 bytes. */
export const longestSignal = 7900

type Hear = (payload: string) => void

/** Short messages between gateways on named channels; only gateways that listen at that moment get them. */
export class Signals {
  readonly #connectionString: string
  readonly #logger: Logger
  readonly #hearers = new Map<string, Hear>()
  /** Told when words may have been missed. */
  readonly #missed: (() => void)[] = []
  /** Run on the connection as soon as it is open. */
  readonly #proofs: { text: string; values: string[] }[] = []
  #client: Client | undefined
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(connectionString: string, logger: Logger) {
    this.#connectionString = connectionString
    this.#logger = logger
  }

  /** Before the start. */
  on(channel: string, hear: Hear, onMissed: () => void = () => {}) {
    this.#hearers.set(channel, hear)
    this.#missed.push(onMissed)
  }

  /** Before the start: takes a lock that the connection holds until it is gone, and this process with it. */
  prove(takesLock: string, ...values: string[]) {
    this.#proofs.push({ text: takesLock, values })
  }

  async start() {
    const client = new Client({
      connectionString: this.#connectionString,
      application_name: 'switchroom-signals',
      keepAlive: true,
      connectionTimeoutMillis: 5 * secondMs,
    })
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    client.on('notification', ({ channel, payload = '' }) => this.#hearers.get(channel)?.(payload))
    try {
      await client.connect()
      for (const proof of this.#proofs) await client.query(proof)
      for (const channel of this.#hearers.keys())
        await client.query(`listen ${client.escapeIdentifier(channel)}`)
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
    this.#again()
  }

  #again() {
    this.#timer = setTimeout(() => void this.#startAgain(), againAfterMs)
    this.#timer.unref()
  }

  async #startAgain() {
    try {
      await this.start()
    } catch {
      if (!this.#isStopped) this.#again()
      return
    }
    for (const missed of this.#missed) missed()
  }
}

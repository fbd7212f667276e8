import type { Socket } from 'node:net'
import { Client, type QueryResultRow } from 'pg'
import type { Logger } from 'pino'
import { secondMs } from '../foundation/clock.ts'
import { DatabaseUnavailable } from './database.ts'

const againAfterMs = secondMs
const pingEveryMs = 2 * secondMs
/** A silent connection is given up after that. */
const answeredWithinMs = 4 * secondMs
/** For what had already come while this process stood still. */
const readWithinMs = 100

const sessionOptions = [
  // What it writes is notices: PostgreSQL lets one gateway at a time commit them, so none waits for the disk.
  'synchronous_commit=off',
  // PostgreSQL looks whether the other side is there: the lock of a machine that lost its power would stay for hours.
  'tcp_keepalives_idle=5',
  'tcp_keepalives_interval=5',
  'tcp_keepalives_count=2',
]
  .map((option) => `-c ${option}`)
  .join(' ')

/** By a notice of PostgreSQL; `isOwn` if it was sent on this connection. */
export type OnNotice = (channel: string, payload: string, isOwn: boolean) => void

/** The connection as it is now, with what PostgreSQL keeps for it: once it is lost nothing can be asked any more. */
export interface DirectSession {
  query: <Row extends QueryResultRow>(text: string, values: unknown[]) => Promise<Row[]>
}

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
  #ping: NodeJS.Timeout | undefined
  #isPinging = false
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

  /** Undefined while there is no connection. */
  get session(): DirectSession | undefined {
    const client = this.#client
    if (!client) return undefined
    const query = async <Row extends QueryResultRow>(text: string, values: unknown[]) => {
      if (client !== this.#client) throw new DatabaseUnavailable('the connection that held it is lost')
      return (await client.query<Row>(text, values)).rows
    }
    return { query }
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
      options: sessionOptions,
    })
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    client.on('notification', ({ channel, payload = '', processId }) =>
      this.#onNotice(channel, payload, processId === processIdOf(client)),
    )
    try {
      await client.connect()
      for (const first of this.#first)
        if (!(await isAnswered(client.query(first)))) throw new Error('the database does not answer')
    } catch (error) {
      destroy(client)
      throw error
    }
    if (this.#isStopped) return destroy(client)
    this.#client = client
    this.#ping = setInterval(() => void this.#check(client), pingEveryMs)
    this.#ping.unref()
  }

  async #check(client: Client) {
    if (this.#isPinging) return
    this.#isPinging = true
    const isAlive = await isAnswered(client.query('')).catch(() => false)
    this.#isPinging = false
    if (!isAlive) this.#lost(client)
  }

  async stop() {
    this.#isStopped = true
    clearTimeout(this.#timer)
    clearInterval(this.#ping)
    const client = this.#client
    if (client && !(await isAnswered(client.end()).catch(() => false))) destroy(client)
  }

  #lost(client: Client) {
    if (this.#isStopped || client !== this.#client) return
    this.#client = undefined
    clearInterval(this.#ping)
    this.#logger.warn('lost the connection that hears other gateways')
    destroy(client)
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

/** False if it takes too long. */
async function isAnswered(asked: Promise<unknown>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  let timer = setTimeout(() => (timer = setTimeout(() => resolve(false), readWithinMs)), answeredWithinMs)
  const answered = asked.then(() => true)
  return Promise.race([answered, late]).finally(() => clearTimeout(timer))
}

/** Without a farewell, which a silent connection would never answer. */
function destroy(client: Client) {
  const { connection } = client as Client & { connection: { stream: Socket } }
  connection.stream.destroy()
}

// The client knows it from the server, but its types do not say so.
const processIdOf = (client: Client) => (client as Client & { processID?: number }).processID

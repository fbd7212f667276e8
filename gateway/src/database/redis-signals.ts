import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { secondMs } from '../foundation/clock.ts'
import { NoticeQueue, type Notice } from './notice-queue.ts'
import { RedisConnection, type RedisServer } from './redis-connection.ts'
import type { Hear, Signals } from './signals.ts'

const againAfterMs = secondMs
const pingEveryMs = 3 * secondMs
const answeredWithinMs = 3 * secondMs

export interface RedisSignalsParts {
  server: RedisServer
  logger: Logger
  /** Keeps deployments apart that share a Redis. */
  readDeployment: () => Promise<string>
}

/** Notices by Redis pub/sub. Without Redis this gateway serves on, and finds by itself what notices would have told. */
export class RedisSignals implements Signals {
  readonly #parts: RedisSignalsParts
  readonly #queue: NoticeQueue
  readonly #missed: (() => void)[] = []
  /** Redis sends a gateway its own notices too. */
  readonly #name = randomUUID()
  #prefix = ''
  #connection: RedisConnection | undefined
  #again: NodeJS.Timeout | undefined
  #ping: NodeJS.Timeout | undefined
  #isStopped = false
  #isReported = false

  constructor(parts: RedisSignalsParts) {
    this.#parts = parts
    this.#queue = new NoticeQueue(parts.logger, (notices) => this.#send(notices))
  }

  on(channel: string, hear: Hear, onMissed?: () => void) {
    this.#queue.on(channel, hear)
    if (onMissed) this.#missed.push(onMissed)
  }

  send(channel: string, payload = '') {
    this.#queue.add(channel, payload)
  }

  get whyDegraded(): string | undefined {
    return this.#connection
      ? undefined
      : `Redis at ${this.#address} does not answer: news of other gateways is late`
  }

  async start() {
    this.#prefix = `switchroom:${await this.#parts.readDeployment()}:`
    await this.#open()
  }

  async stop() {
    await this.#queue.settled()
    this.#isStopped = true
    clearTimeout(this.#again)
    clearInterval(this.#ping)
    this.#connection?.close()
  }

  /** Without the password. */
  get #address(): string {
    return this.#parts.server.url.host
  }

  async #open(isBack = false) {
    try {
      let opened: RedisConnection | undefined
      const connection = await RedisConnection.open(this.#parts.server, {
        onMessage: (channel, payload) => this.#heard(channel, payload),
        onLost: () => opened && this.#lost(opened),
      })
      opened = connection
      const channels = this.#queue.channels.map((channel) => this.#prefix + channel)
      await Promise.all(
        channels.map((channel) => connection.ask(answeredWithinMs, 'SUBSCRIBE', channel)),
      ).catch((error: unknown) => {
        connection.close()
        throw error
      })
      if (this.#isStopped) return connection.close()
      this.#connection = connection
    } catch (error) {
      this.#failed(error)
      return
    }
    this.#isReported = false
    const connection = this.#connection
    this.#ping = setInterval(() => void connection.ask(answeredWithinMs, 'PING').catch(() => {}), pingEveryMs)
    this.#ping.unref()
    if (isBack) for (const missed of this.#missed) missed()
  }

  #heard(channel: string, message: string) {
    const [sender, ...payload] = message.split('\n')
    if (sender !== this.#name) this.#queue.heard(channel.slice(this.#prefix.length), payload.join('\n'))
  }

  #lost(connection: RedisConnection) {
    if (connection !== this.#connection) return
    this.#connection = undefined
    clearInterval(this.#ping)
    if (this.#isStopped) return
    this.#parts.logger.warn({ redis: this.#address }, 'lost Redis: this gateway checks for news by itself')
    this.#isReported = true
    this.#startAgain(0)
  }

  #failed(error: unknown) {
    if (this.#isStopped) return
    if (!this.#isReported)
      this.#parts.logger.warn(
        { err: error, redis: this.#address },
        'Redis cannot be used: this gateway checks for news by itself, and tries again',
      )
    this.#isReported = true
    this.#startAgain(againAfterMs)
  }

  #startAgain(afterMs: number) {
    this.#again = setTimeout(() => void this.#open(true), afterMs)
    this.#again.unref()
  }

  async #send(notices: readonly Notice[]) {
    const connection = this.#connection
    if (!connection) return // gateways catch up without
    await Promise.all(
      notices.map(({ channel, payload }) =>
        connection.ask(answeredWithinMs, 'PUBLISH', this.#prefix + channel, `${this.#name}\n${payload}`),
      ),
    )
  }
}

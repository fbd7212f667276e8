import type { Logger } from 'pino'
import type { Database } from '../../database/database.ts'
import type { Signals } from '../../database/signals.ts'
import { later, minuteMs, secondMs, type Clock } from '../../foundation/clock.ts'
import * as store from './gateway-mailbox.store.ts'

const againAfterMs = secondMs

/** Reads one kind of message. What takes long is begun here and goes on beside. */
export type Reader<Body> = (body: Body) => void

interface Waiting {
  gateway: string
  kind: string
  body: string
  sent: () => void
  failed: (error: unknown) => void
}

export interface PostParts {
  database: Database
  clock: Clock
  logger: Logger
  signals: Signals
  /** This gateway's name. */
  gateway: string
}

/** Messages between gateways: each is read once by the gateway it is for, in the order in which it was sent. */
export class GatewayMailbox {
  readonly #parts: PostParts
  readonly #readers = new Map<string, Reader<never>>()
  #waiting: Waiting[] = []
  #sending: Promise<void> | undefined
  #taking: Promise<void> | undefined
  #isTold = false
  #isStopped = false

  constructor(parts: PostParts) {
    this.#parts = parts
    const take = () => this.#take()
    parts.signals.on(store.postChannel(parts.gateway), take, take)
  }

  /** Before the start. */
  on<Body>(kind: string, reader: Reader<Body>) {
    this.#readers.set(kind, reader)
  }

  /** Takes what came before this gateway listened. */
  start() {
    this.#take()
  }

  async stop() {
    this.#isStopped = true
    await this.#sending
    await this.#taking
  }

  /** Kept once it answers. A gateway that is gone reads it never. */
  send(gateway: string, kind: string, body: object): Promise<void> {
    return new Promise((sent, failed) => {
      this.#waiting.push({ gateway, kind, body: JSON.stringify(body), sent, failed })
      this.#sending ??= this.#sendAll()
    })
  }

  async deleteExpired() {
    await store.forgetPosts(this.#parts.database, later(this.#parts.clock.now(), -minuteMs))
  }

  /** What waits while some are sent goes together, so that none overtakes another. */
  async #sendAll() {
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const posts = this.#waiting
      this.#waiting = []
      await store.insertPosts(this.#parts.database, posts, this.#parts.clock.now()).then(
        () => posts.forEach(({ sent }) => sent()),
        (error: unknown) => posts.forEach(({ failed }) => failed(error)),
      )
    }
    this.#sending = undefined
  }

  #take() {
    this.#isTold = true
    this.#taking ??= this.#takeAll().finally(() => (this.#taking = undefined))
  }

  async #takeAll() {
    try {
      while (this.#isTold && !this.#isStopped) {
        this.#isTold = false
        for (const post of await store.takePosts(this.#parts.database, this.#parts.gateway)) this.#read(post)
      }
    } catch (error) {
      this.#parts.logger.warn({ err: error }, 'what other gateways sent could not be read')
      if (!this.#isStopped) setTimeout(() => this.#take(), againAfterMs).unref()
    }
  }

  #read({ kind, body }: store.Posted) {
    try {
      const reader = this.#readers.get(kind) as Reader<unknown> | undefined
      if (!reader) throw new Error(`nobody reads ${kind}`)
      reader(body)
    } catch (error) {
      this.#parts.logger.error({ err: error, kind }, 'a message from another gateway was not read')
    }
  }
}

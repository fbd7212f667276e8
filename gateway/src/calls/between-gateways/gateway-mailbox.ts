import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Logger } from 'pino'
import type { Database, Queryable } from '../../database/database.ts'
import type { DueChecks } from '../../database/due-checks.ts'
import type { Signals } from '../../database/signals.ts'
import { later, minuteMs, secondMs, type Clock } from '../../foundation/clock.ts'
import * as store from './gateway-mailbox.store.ts'

const retryAfterMs = secondMs
/** A message whose notice was lost waits no longer. */
const checkEveryMs = 4 * secondMs

/** Reads one kind of message, without blocking the next one. */
export type Reader<Body> = (body: Body) => void

interface Waiting {
  gateway: string
  kind: string
  body: string
  sent: () => void
  failed: (error: unknown) => void
}

export interface GatewayMailboxParts {
  database: Database
  clock: Clock
  logger: Logger
  signals: Signals
  dueChecks: DueChecks
  /** This gateway's name. */
  gateway: string
}

/** Messages between gateways: each is read once by the gateway it is for, in the order in which it was sent. */
export class GatewayMailbox {
  readonly #parts: GatewayMailboxParts
  readonly task: PeriodicTask = {
    name: 'read messages whose notice was lost',
    everyMs: checkEveryMs,
    run: () => this.#parts.dueChecks.runIfAny(store.waitingCheck(this.#parts.gateway), () => this.#take()),
  }
  readonly #readers = new Map<string, Reader<never>>()
  #waiting: Waiting[] = []
  #sending: Promise<void> | undefined
  #taking: Promise<void> | undefined
  #hasNew = false
  #isStopped = false

  constructor(parts: GatewayMailboxParts) {
    this.#parts = parts
    const take = () => this.#take()
    parts.signals.on(store.mailboxChannel(parts.gateway), take, take)
  }

  /** Call it before `start`. */
  on<Body>(kind: string, reader: Reader<Body>) {
    this.#readers.set(kind, reader)
  }

  /** Reads the messages that came before this gateway listened. */
  start() {
    this.#take()
  }

  async stop() {
    this.#isStopped = true
    await this.#sending
    await this.#taking
  }

  /** Resolves once the message is stored. A gateway that has died never reads it. */
  send(gateway: string, kind: string, body: object): Promise<void> {
    return new Promise((sent, failed) => {
      this.#waiting.push({ gateway, kind, body: JSON.stringify(body), sent, failed })
      this.#sending ??= this.#sendAll()
    })
  }

  async deleteExpired(database: Queryable = this.#parts.database) {
    await store.deleteOldPosts(database, later(this.#parts.clock.now(), -minuteMs))
  }

  /** Messages that wait for a running insert go together in the next, so that none overtakes another. */
  async #sendAll() {
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const posts = this.#waiting
      this.#waiting = []
      await store.insertPosts(this.#parts.database, posts, this.#parts.clock.now()).then(
        () => this.#stored(posts),
        (error: unknown) => posts.forEach(({ failed }) => failed(error)),
      )
    }
    this.#sending = undefined
  }

  #stored(posts: readonly Waiting[]) {
    const receivers = new Set(posts.map(({ gateway }) => gateway))
    for (const gateway of receivers) this.#parts.signals.send(store.mailboxChannel(gateway))
    for (const { sent } of posts) sent()
  }

  #take() {
    this.#hasNew = true
    this.#taking ??= this.#takeAll().finally(() => (this.#taking = undefined))
  }

  async #takeAll() {
    try {
      while (this.#hasNew && !this.#isStopped) {
        this.#hasNew = false
        for (const post of await store.takePosts(this.#parts.database, this.#parts.gateway)) this.#read(post)
      }
    } catch (error) {
      this.#parts.logger.warn({ err: error }, 'messages from other gateways could not be read')
      if (!this.#isStopped) setTimeout(() => this.#take(), retryAfterMs).unref()
    }
  }

  #read({ kind, body }: store.Posted) {
    try {
      const reader = this.#readers.get(kind) as Reader<unknown> | undefined
      if (!reader) throw new Error(`no reader for messages of kind ${kind}`)
      reader(body)
    } catch (error) {
      this.#parts.logger.error({ err: error, kind }, 'a message from another gateway was not read')
    }
  }
}

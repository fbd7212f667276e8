import type { FastifyBaseLogger } from 'fastify'
import type { Caller } from '../foundation/caller.ts'
import { secondMs } from '../foundation/clock.ts'
import { Refusal } from '../foundation/refusals.ts'
import type { Authentication, Opened } from './authentication.ts'

const pollEveryMs = 2 * secondMs

/** Something that outlives the judgement of the request that opened it: a socket, an event stream. */
export interface OpenConnection extends Opened {
  /** Told at every look: the key still opens it, as this caller. */
  stays(caller: Caller): void
  /** Told once: the key no longer opens it. */
  ends(refusal: Refusal): void
  /** Told once: this gateway stops. */
  leaves(): Promise<void>
}

/** Everything open on this gateway, judged again every other second by one statement for all of it. */
export class OpenConnections {
  readonly #authentication: Authentication
  readonly #logger: FastifyBaseLogger
  readonly #open = new Set<OpenConnection>()
  #timer: NodeJS.Timeout | undefined
  #isLooking = false
  #isLeaving = false

  constructor(authentication: Authentication, logger: FastifyBaseLogger) {
    this.#authentication = authentication
    this.#logger = logger
  }

  start() {
    this.#timer = setInterval(() => void this.#poll(), pollEveryMs)
    this.#timer.unref()
  }

  add(connection: OpenConnection) {
    if (this.#isLeaving) void connection.leaves()
    else this.#open.add(connection)
  }

  delete(connection: OpenConnection) {
    this.#open.delete(connection)
  }

  /** Who opened it, as of now; undefined when the key opens it no longer, which it is then told. */
  async judged(connection: OpenConnection): Promise<Caller | undefined> {
    const [judged] = await this.#authentication.again([connection])
    if (!(judged instanceof Refusal)) return judged
    this.#end(connection, judged)
    return undefined
  }

  /** Lets go of everything, and of whatever is opened from now on. */
  async leave() {
    this.#isLeaving = true
    clearInterval(this.#timer)
    await Promise.all(Array.from(this.#open, (connection) => connection.leaves()))
  }

  async #poll() {
    if (this.#open.size === 0 || this.#isLooking) return
    this.#isLooking = true
    const open = [...this.#open]
    try {
      const judged = await this.#authentication.again(open)
      for (const [i, connection] of open.entries()) this.#tell(connection, judged[i])
    } catch (error) {
      this.#logger.warn({ err: error }, 'open connections were not judged again')
    } finally {
      this.#isLooking = false
    }
  }

  #tell(connection: OpenConnection, judged: Caller | Refusal | undefined) {
    if (!judged || !this.#open.has(connection)) return // closed meanwhile
    if (judged instanceof Refusal) this.#end(connection, judged)
    else connection.stays(judged)
  }

  #end(connection: OpenConnection, refusal: Refusal) {
    if (this.#open.delete(connection)) connection.ends(refusal)
  }
}

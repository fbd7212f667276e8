import type { Logger } from 'pino'
import type { DatabasePoolSettings } from '../foundation/database-settings.ts'
import { backendsAnswerWithinMs, ConnectionWatch, usualWatch } from './connection-watch.ts'
import { Database } from './database.ts'
import { overPooler, straight } from './session-settings.ts'
import { StatementLimit } from './statement-limit.ts'
import { PoolerBackends, PostgresBackends } from './watched-backends.ts'

/**
 * The connections of a gateway, in pools of which none waits for another: calls are written and the gateway says that
 * it lives whatever is asked of it, and requests are answered whatever is searched.
 */
export class DatabasePools {
  /** Everything else. */
  readonly requests: Database
  /** The log's writer, the heartbeat and the adoption of dead gateways' calls. */
  readonly writing: Database
  /** Statements that may take long: searches, insights, erasures, retention. */
  readonly slow: Database
  /** What needs a session for longer than a transaction: migrations, and changes of indexes. */
  readonly sessions: Database
  /** Whether a pooler lends the sessions of all but the last. */
  readonly isOverPooler: boolean

  readonly #watch: ConnectionWatch
  readonly #limit: StatementLimit | undefined

  /** With a `directUrl` the other one leads to a pooler. */
  constructor(url: string, sizes: DatabasePoolSettings, logger: Logger, directUrl?: string) {
    this.isOverPooler = directUrl !== undefined
    const onIdleFailure = (error: Error) => logger.warn({ err: error }, 'lost a database connection')
    const way = this.isOverPooler ? overPooler : straight
    const pool = (connections: number) => new Database(url, onIdleFailure, { connections, way })
    this.requests = pool(sizes.requests)
    this.writing = pool(sizes.writing)
    this.slow = pool(sizes.slow)
    this.sessions =
      directUrl === undefined ? this.slow : new Database(directUrl, onIdleFailure, { connections: 1 })
    const onSilenced = (connections: number) =>
      logger.warn({ connections }, 'gave up database connections that do not answer')
    const watched = [this.requests, this.writing, this.slow].map(({ connections }) => connections)
    const backends = new (this.isOverPooler ? PoolerBackends : PostgresBackends)(url, backendsAnswerWithinMs)
    this.#watch = new ConnectionWatch(backends, watched, onSilenced, usualWatch)
    this.#limit = this.isOverPooler ? new StatementLimit(watched) : undefined
  }

  get #all() {
    return new Set([this.requests, this.writing, this.slow, this.sessions])
  }

  /** Nothing waits any longer for a database that does not answer now. */
  async giveUpIfSilent() {
    if (await this.requests.answers()) return
    for (const pool of this.#all) pool.giveUp()
  }

  async close() {
    await Promise.all([...this.#all].map((pool) => pool.close()))
    this.#watch.stop()
    this.#limit?.stop()
  }
}

import type { Logger } from 'pino'
import type { DatabasePoolSettings } from '../foundation/database-settings.ts'
import { ConnectionWatch, usualWatch } from './connection-watch.ts'
import { Database } from './database.ts'

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

  readonly #watch: ConnectionWatch

  constructor(url: string, sizes: DatabasePoolSettings, logger: Logger) {
    const onIdleFailure = (error: Error) => logger.warn({ err: error }, 'lost a database connection')
    const pool = (connections: number) => new Database(url, onIdleFailure, { connections })
    this.requests = pool(sizes.requests)
    this.writing = pool(sizes.writing)
    this.slow = pool(sizes.slow)
    const onSilenced = (connections: number) =>
      logger.warn({ connections }, 'gave up database connections that do not answer')
    const watched = this.#all.map(({ connections }) => connections)
    this.#watch = new ConnectionWatch(url, watched, onSilenced, usualWatch)
  }

  get #all() {
    return [this.requests, this.writing, this.slow]
  }

  async close() {
    await Promise.all(this.#all.map((pool) => pool.close()))
    this.#watch.stop()
  }
}

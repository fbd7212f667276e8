import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Logger } from 'pino'
import type { Database } from '../../database/database.ts'
import { minuteMs } from '../../foundation/clock.ts'

/** Something whose rows expire. */
export interface Expiring {
  deleteExpired(database: Database): Promise<void>
}

/** Deletes expired rows every minute. Each reader checks by itself whether a row has expired; this only frees space, and no request waits for it. */
export class Housekeeping {
  readonly #expiring: readonly Expiring[]
  readonly #database: Database
  readonly #logger: Logger
  readonly task: PeriodicTask = { name: 'delete expired rows', everyMs: minuteMs, run: () => this.run() }

  constructor(expiring: readonly Expiring[], database: Database, logger: Logger) {
    this.#expiring = expiring
    this.#database = database
    this.#logger = logger
  }

  async run() {
    for (const rows of this.#expiring)
      await rows
        .deleteExpired(this.#database)
        .catch((error: unknown) => this.#logger.warn({ err: error }, 'expired rows were not deleted'))
  }
}

import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Logger } from 'pino'
import { minuteMs } from '../../foundation/clock.ts'

/** Something whose rows expire. */
export interface Expiring {
  deleteExpired(): Promise<void>
}

/** Deletes expired rows every minute. Each reader checks by itself whether a row has expired; this only frees space. */
export class Housekeeping {
  readonly #expiring: readonly Expiring[]
  readonly #logger: Logger
  readonly task: PeriodicTask = { name: 'delete expired rows', everyMs: minuteMs, run: () => this.run() }

  constructor(expiring: readonly Expiring[], logger: Logger) {
    this.#expiring = expiring
    this.#logger = logger
  }

  async run() {
    for (const rows of this.#expiring)
      await rows
        .deleteExpired()
        .catch((error: unknown) => this.#logger.warn({ err: error }, 'expired rows were not deleted'))
  }
}

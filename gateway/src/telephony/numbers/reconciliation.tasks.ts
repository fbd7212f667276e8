import type { Logger } from 'pino'
import { secondMs } from '../../foundation/clock.ts'
import type { Reconciliation } from './reconciliation.ts'

const lookEveryMs = secondMs

/** Looks after the media planes once the gateway listens, beside everything else it does. */
export class ReconciliationTasks {
  readonly #reconciliation: Reconciliation
  readonly #logger: Logger
  readonly #stopping = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined

  constructor(reconciliation: Reconciliation, logger: Logger) {
    this.#reconciliation = reconciliation
    this.#logger = logger
  }

  start() {
    this.#reconciliation.begin()
    this.#timer = setInterval(() => this.#look(), lookEveryMs)
    this.#timer.unref()
    this.#look()
  }

  async stop() {
    clearInterval(this.#timer)
    this.#stopping.abort()
    await this.#looking
  }

  #look() {
    this.#looking ??= this.#reconciliation
      .look(this.#stopping.signal)
      .catch((error: unknown) => this.#logger.warn({ err: error }, 'the media planes were not looked after'))
      .finally(() => (this.#looking = undefined))
  }
}

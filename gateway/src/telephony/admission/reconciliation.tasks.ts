import type { Logger } from 'pino'
import { secondMs } from '../../foundation/clock.ts'
import type { Reconciliation } from './reconciliation.ts'

const pollEveryMs = secondMs

/** Polls reconciliation from the moment the gateway listens. */
export class ReconciliationTasks {
  readonly #reconciliation: Reconciliation
  readonly #logger: Logger
  readonly #stopping = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #polling: Promise<void> | undefined

  constructor(reconciliation: Reconciliation, logger: Logger) {
    this.#reconciliation = reconciliation
    this.#logger = logger
  }

  start() {
    this.#reconciliation.begin()
    this.#timer = setInterval(() => this.#poll(), pollEveryMs)
    this.#timer.unref()
    this.#poll()
  }

  async stop() {
    clearInterval(this.#timer)
    this.#stopping.abort()
    await this.#polling
  }

  #poll() {
    this.#polling ??= this.#reconciliation
      .poll(this.#stopping.signal)
      .catch((error: unknown) => this.#logger.warn({ err: error }, 'the media planes were not reconciled'))
      .finally(() => (this.#polling = undefined))
  }
}

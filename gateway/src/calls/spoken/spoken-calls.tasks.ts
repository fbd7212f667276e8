import type { Logger } from 'pino'
import { secondMs } from '../../foundation/clock.ts'

const pollEveryMs = 2 * secondMs

export interface PolledTask {
  poll(): Promise<void>
}

/** Polls every few seconds, one poll at a time. */
export class SpokenCallTasks {
  readonly #tasks: readonly PolledTask[]
  readonly #logger: Logger
  #timer: NodeJS.Timeout | undefined
  #polling: Promise<void> | undefined

  constructor(tasks: readonly PolledTask[], logger: Logger) {
    this.#tasks = tasks
    this.#logger = logger
  }

  start() {
    this.#timer = setInterval(() => {
      this.#polling ??= this.#poll().finally(() => (this.#polling = undefined))
    }, pollEveryMs)
    this.#timer.unref()
  }

  async stop() {
    clearInterval(this.#timer)
    await this.#polling
  }

  async #poll() {
    for (const task of this.#tasks)
      await task
        .poll()
        .catch((error: unknown) => this.#logger.warn({ err: error }, 'a task for spoken calls failed'))
  }
}

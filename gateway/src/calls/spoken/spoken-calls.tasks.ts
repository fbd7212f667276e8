import type { Logger } from 'pino'
import { secondMs } from '../../foundation/clock.ts'

const pollEveryMs = 2 * secondMs

/** Something that looks after spoken calls which nobody else looks after. */
export interface PolledTask {
  poll(): Promise<void>
}

/** Looks every few seconds, one look at a time. */
export class SpokenCallTasks {
  readonly #rooms: readonly PolledTask[]
  readonly #logger: Logger
  #timer: NodeJS.Timeout | undefined
  #polling: Promise<void> | undefined

  constructor(rooms: readonly PolledTask[], logger: Logger) {
    this.#rooms = rooms
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
    for (const room of this.#rooms)
      await room
        .poll()
        .catch((error: unknown) => this.#logger.warn({ err: error }, 'spoken calls were not looked after'))
  }
}

import type { Logger } from 'pino'
import { minuteMs } from '../../foundation/clock.ts'

/** Something that keeps rows which die of age. */
export interface Forgetful {
  deleteExpired(): Promise<void>
}

/** Forgets what is dead, every minute. Whether a row is dead is judged where it is used; this only tidies up. */
export class Housekeeping {
  readonly #rooms: readonly Forgetful[]
  readonly #logger: Logger
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()

  constructor(rooms: readonly Forgetful[], logger: Logger) {
    this.#rooms = rooms
    this.#logger = logger
  }

  start() {
    this.#timer = setInterval(() => {
      this.#running = this.run()
    }, minuteMs)
    this.#timer.unref()
  }

  async stop() {
    clearInterval(this.#timer)
    await this.#running
  }

  async run() {
    for (const room of this.#rooms)
      await room
        .deleteExpired()
        .catch((error: unknown) => this.#logger.warn({ err: error }, 'tidying up failed'))
  }
}

import type { Logger } from 'pino'
import { secondMs } from '../../foundation/clock.ts'

const lookEveryMs = 2 * secondMs

/** Something that looks after spoken calls which nobody else looks after. */
export interface Watchful {
  look(): Promise<void>
}

/** Looks every few seconds, one look at a time. */
export class SpokenCallTasks {
  readonly #rooms: readonly Watchful[]
  readonly #logger: Logger
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined

  constructor(rooms: readonly Watchful[], logger: Logger) {
    this.#rooms = rooms
    this.#logger = logger
  }

  start() {
    this.#timer = setInterval(() => {
      this.#looking ??= this.#look().finally(() => (this.#looking = undefined))
    }, lookEveryMs)
    this.#timer.unref()
  }

  async stop() {
    clearInterval(this.#timer)
    await this.#looking
  }

  async #look() {
    for (const room of this.#rooms)
      await room
        .look()
        .catch((error: unknown) => this.#logger.warn({ err: error }, 'spoken calls were not looked after'))
  }
}

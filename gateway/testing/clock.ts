import type { Clock } from '../src/foundation/clock.ts'

/** Runs like the real one, and can be moved forward. */
export class TestClock implements Clock {
  #aheadMs = 0

  now(): Date {
    return new Date(Date.now() + this.#aheadMs)
  }

  forward(ms: number) {
    this.#aheadMs += ms
  }
}

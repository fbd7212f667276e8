import { untilAborted } from '../until-aborted.ts'
import { DecodingFailure } from './decoding-failure.ts'

/** Lets a few work at once, a few more wait, and refuses the others. */
export class Turns {
  #free: number
  readonly #mostWaiting: number
  readonly #waiting: (() => void)[] = []

  constructor(atOnce: number, mostWaiting: number) {
    this.#free = atOnce
    this.#mostWaiting = mostWaiting
  }

  async take<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await this.#turn(signal)
    try {
      return await work()
    } finally {
      this.#pass()
    }
  }

  #pass() {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free += 1
  }

  async #turn(signal: AbortSignal) {
    if (this.#waiting.length >= this.#mostWaiting)
      throw new DecodingFailure('tooMany', 'too many files wait to be decoded: try again in a moment')
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    try {
      await untilAborted(promise, signal)
    } catch (error) {
      const at = this.#waiting.indexOf(resolve)
      if (at === -1) this.#pass() // it had just been given its turn
      else this.#waiting.splice(at, 1)
      throw error
    }
  }
}

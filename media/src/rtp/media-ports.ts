import { randomInt } from 'node:crypto'
import { MediaError } from '../plane.ts'

export interface PortRange {
  first: number
  last: number
}

/** The even ports that sound comes to, each for one call at a time. */
export class MediaPorts {
  readonly #first: number
  readonly #count: number
  readonly #taken = new Set<number>()
  #next: number

  constructor({ first, last }: PortRange) {
    this.#first = first + (first % 2)
    this.#count = Math.floor((last - this.#first + 1) / 2)
    this.#next = randomInt(this.#count) // other workers on this machine begin elsewhere
  }

  /** The one that was free the longest, for late packets of another call may still come to those just left. */
  readonly allocate = (): number => {
    for (let tried = 0; tried < this.#count; tried += 1) {
      const port = this.#first + 2 * this.#next
      this.#next = (this.#next + 1) % this.#count
      if (this.#taken.has(port)) continue
      this.#taken.add(port)
      return port
    }
    throw new MediaError('every port for sound is taken: widen SVC_MEDIA_PORTS')
  }

  readonly release = (port: number): void => {
    this.#taken.delete(port)
  }
}

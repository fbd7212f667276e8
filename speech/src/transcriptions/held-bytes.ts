import { Refusal } from '../foundation/refusals.ts'

/** How much all files together may hold of the memory, so that no number of callers takes all of it. */
export class HeldBytes {
  readonly #most: number
  #held = 0

  constructor(most: number) {
    this.#most = most
  }

  get held(): number {
    return this.#held
  }

  /** What one request holds, until it lets go of all of it. */
  hold(): Hold {
    let mine = 0
    return {
      take: (bytes) => {
        if (this.#held + bytes > this.#most)
          throw new Refusal(429, 'RATE_LIMITED', 'too many files are being heard: try again in a moment', {
            'retry-after': '5',
          })
        mine += bytes
        this.#held += bytes
      },
      release: () => {
        this.#held -= mine
        mine = 0
      },
    }
  }
}

export interface Hold {
  take(bytes: number): void
  release(): void
}

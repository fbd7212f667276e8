import { Refusal } from '../foundation/refusals.ts'

/** The memory that all uploads together may hold. */
export class HeldBytes {
  readonly #most: number
  #held = 0

  constructor(most: number) {
    this.#most = most
  }

  get held(): number {
    return this.#held
  }

  /** The bytes that one request holds until it releases them. */
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

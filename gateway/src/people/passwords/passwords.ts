import { hash, verify } from '@node-rs/argon2'
import { badRequest, unavailable } from '../../foundation/refusals.ts'
import { codePoints } from '../../foundation/text.ts'

// What OWASP names for argon2id, the package's default: 19 MiB, two passes, one lane.
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

// A hash of the same parameters that no password is expected to match.
const standIn =
  '$argon2id$v=19$m=19456,t=2,p=1$c3dpdGNocm9vbS1zdGFuZA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

const longestBytes = 1024

/** More concurrent hashes would fill the thread pool and stall every file access of the process. */
const atOnce = 2
const retryAfterS = 5

/** Hashes and verifies passwords off the event loop, two at a time; so many may wait, and more are refused. */
export class Passwords {
  readonly #minLength: number
  readonly #mostWaiting: number
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(minLength: number, mostWaiting: number) {
    this.#minLength = minLength
    this.#mostWaiting = mostWaiting
  }

  refuseUnfit(password: string) {
    const least = Math.max(1, this.#minLength)
    if (codePoints(password).length < least) throw badRequest(`a password is at least ${least} characters`)
    if (Buffer.byteLength(password) > longestBytes) throw badRequest('that password is too long')
  }

  hash(password: string): Promise<string> {
    return this.#inTurn(() => hash(password, parameters))
  }

  verify(password: string, hashed: string): Promise<boolean> {
    return this.#inTurn(() => verify(hashed, password))
  }

  /** Runs one verification whether or not the address has a password, so that the response time reveals nothing. */
  async verifyOrStandIn(password: string, hashed: string | undefined): Promise<boolean> {
    const matches = await this.verify(password, hashed ?? standIn)
    return matches && hashed !== undefined
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= atOnce && this.#waiting.length >= this.#mostWaiting)
      throw unavailable(
        `this gateway is checking too many passwords at the moment: try again in ${retryAfterS} seconds`,
        retryAfterS,
      )
    if (this.#running >= atOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running += 1
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    }
  }
}

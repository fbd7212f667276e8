import type { Clock } from '../foundation/clock.ts'
import type { Database } from '../database/database.ts'
import { digestOf } from '../foundation/secrets.ts'
import * as store from './authentication.store.ts'

/** PostgreSQL reads so many keys in about the time of a few. */
const mostAtOnce = 200

/** A key that is looked up, and everybody who presented it in this turn of the event loop. */
interface Lookup {
  readonly digest: Buffer
  readonly found: Promise<store.PresentedKey | undefined>
  readonly resolve: (key: store.PresentedKey | undefined) => void
  readonly reject: (error: unknown) => void
}

/**
 * Finds the keys that requests present, each as it is after its request came: those of one turn of the event loop
 * with one statement, because under load a statement for each request costs more than all the rest of a small one.
 */
export class KeyLookups {
  readonly #database: Database
  readonly #clock: Clock
  /** By the bearer. */
  #next = new Map<string, Lookup>()

  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  find(bearer: string): Promise<store.PresentedKey | undefined> {
    const known = this.#next.get(bearer)
    if (known) return known.found
    const { promise, resolve, reject } = Promise.withResolvers<store.PresentedKey | undefined>()
    if (this.#next.size === 0) setImmediate(() => this.#begin())
    this.#next.set(bearer, { digest: digestOf(bearer), found: promise, resolve, reject })
    if (this.#next.size === mostAtOnce) this.#begin()
    return promise
  }

  #begin() {
    const lookups = [...this.#next.values()]
    this.#next = new Map()
    if (lookups.length > 0) void this.#findAll(lookups)
  }

  async #findAll(lookups: readonly Lookup[]) {
    try {
      const [only] = lookups
      if (lookups.length === 1 && only)
        return only.resolve(await store.findPresentedKey(this.#database, only.digest, this.#clock.now()))
      const digests = lookups.map(({ digest }) => digest)
      const keys = await store.findPresentedKeys(this.#database, digests, this.#clock.now())
      const byDigest = new Map(keys.map(({ digest, ...key }) => [digest, key]))
      for (const { digest, resolve } of lookups) resolve(byDigest.get(digest.toString('hex')))
    } catch (error) {
      for (const { reject } of lookups) reject(error)
    }
  }
}

import type { Database } from '../database/database.ts'
import { Gathered } from '../database/gathered.ts'
import type { Clock } from '../foundation/clock.ts'
import { digestOf } from '../foundation/secrets.ts'
import * as store from './authentication.store.ts'

const mostAtOnce = 200
/** Every request waits for its key, so that a statement that takes long must leave room for others. */
const mostUnderWay = 6

/** Finds the keys that requests present, each as it is after its request came. */
export class KeyLookups {
  readonly #database: Database
  readonly #clock: Clock
  readonly #keys: Gathered<string, store.PresentedKey | undefined>

  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
    this.#keys = new Gathered((bearers) => this.#findAll(bearers), mostAtOnce, mostUnderWay)
  }

  find(bearer: string): Promise<store.PresentedKey | undefined> {
    return this.#keys.one(bearer)
  }

  async #findAll(bearers: readonly string[]) {
    const digests = new Map([...new Set(bearers)].map((bearer) => [bearer, digestOf(bearer)]))
    const [only] = digests.values()
    const now = this.#clock.now()
    if (digests.size === 1 && only) {
      const key = await store.findPresentedKey(this.#database, only, now)
      return bearers.map(() => key)
    }
    const keys = await store.findPresentedKeys(this.#database, [...digests.values()], now)
    const byDigest = new Map(keys.map(({ digest, ...key }) => [digest, key]))
    return bearers.map((bearer) => byDigest.get(digests.get(bearer)?.toString('hex') ?? ''))
  }
}

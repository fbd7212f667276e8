import { secondMs, type Clock } from '../foundation/clock.ts'
import { tooMany } from '../foundation/refusals.ts'
import { digestOf } from '../foundation/secrets.ts'
import type { Database } from '../database/database.ts'
import * as store from './rate-counts.store.ts'

export interface RateLimit {
  /** What is counted; two limits never share a count. */
  readonly name: string
  readonly tries: number
  readonly windowMs: number
}

/** Counts tries in the database, so that all gateways count together and a restart forgets nothing. */
export class RateCounts {
  readonly #database: Database
  readonly #clock: Clock

  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  /** Admits a try and counts it, or refuses it: a refused try is not counted. */
  async admit(limit: RateLimit, subject: readonly string[], sentence: string) {
    const now = this.#clock.now()
    const digest = digestOf(JSON.stringify([limit.name, ...subject]))
    if (await store.admitTry(this.#database, digest, now, limit.tries, limit.windowMs)) return
    const counted = await store.oldestTry(this.#database, digest, now, limit.windowMs)
    const freeAtMs = counted?.oldest ? Date.parse(counted.oldest) + limit.windowMs : now.getTime()
    throw tooMany(sentence, Math.max(1, Math.ceil((freeAtMs - now.getTime()) / secondMs)))
  }
}

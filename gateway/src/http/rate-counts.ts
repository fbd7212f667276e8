import { secondMs, type Clock } from '../foundation/clock.ts'
import { tooMany } from '../foundation/refusals.ts'
import { digestOf } from '../foundation/secrets.ts'
import type { Database, Queryable } from '../database/database.ts'
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

  /** Whether a try is admitted, and then counted; for what must not be refused aloud. */
  async isAdmitted(
    limit: RateLimit,
    subject: readonly string[],
    database: Queryable = this.#database,
  ): Promise<boolean> {
    if (limit.tries === 0) return false
    const admitted = await store.admitTry(
      database,
      subjectOf(limit, subject),
      this.#clock.now(),
      limit.tries,
      limit.windowMs,
    )
    return admitted !== undefined
  }

  async deleteExpired(database: Queryable = this.#database) {
    await store.forgetOldCounts(database, this.#clock.now())
  }

  /** Admits a try and counts it, or refuses it: a refused try is not counted. In a transaction it counts if that is kept. */
  async admit(
    limit: RateLimit,
    subject: readonly string[],
    sentence: string,
    database: Queryable = this.#database,
  ) {
    if (await this.isAdmitted(limit, subject, database)) return
    const now = this.#clock.now()
    const digest = subjectOf(limit, subject)
    const counted = await store.oldestTry(database, digest, now, limit.windowMs)
    const freeAtMs = counted?.oldest
      ? Date.parse(counted.oldest) + limit.windowMs
      : now.getTime() + limit.windowMs
    throw tooMany(sentence, Math.max(1, Math.ceil((freeAtMs - now.getTime()) / secondMs)))
  }
}

const subjectOf = (limit: RateLimit, subject: readonly string[]) =>
  digestOf(JSON.stringify([limit.name, ...subject]))

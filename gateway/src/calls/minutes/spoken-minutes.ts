import type { Database, Queryable } from '../../database/database.ts'
import type { Clock } from '../../foundation/clock.ts'
import { tooMany } from '../../foundation/refusals.ts'
import type { OrgRow } from '../../people/orgs/orgs.ts'
import * as store from './spoken-minutes.store.ts'

/** The minutes that an org has spoken this month (UTC), in both environments, with those of calls that run. */
export const minutesSpoken = (database: Queryable, clock: Clock) => async (org: string) =>
  Math.round((await store.sumSeconds(database, org, clock.now())) / 6) / 10

/** Counts spoken calls against the quota of minutes. It refuses new ones; those that run go on to their end. */
export class SpokenMinutes {
  readonly #database: Database
  readonly #clock: Clock

  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  async refusePastQuota(database: Queryable, { id, slug, quotas: { minutes } }: OrgRow, channel: string) {
    if (minutes === null || (channel !== 'phone' && channel !== 'web')) return
    if ((await store.sumSeconds(database, id, this.#clock.now())) < minutes * 60) return
    throw tooMany(
      `org ${slug} has used its ${minutes} minutes of calls of this month (UTC): wait for the next month, or ask the operator for more`,
    ).as('QUOTA_EXCEEDED')
  }

  async deleteExpired(database: Queryable = this.#database) {
    await store.deleteOldMonths(database, this.#clock.now())
  }
}

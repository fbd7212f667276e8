import { environments, type Environment } from '@switchroom/contract/scopes'
import type { Database, Queryable } from '../../database/database.ts'
import { dayMs, later, type Clock } from '../../foundation/clock.ts'
import { tooMany } from '../../foundation/refusals.ts'
import type { Orgs } from '../../people/orgs/orgs.ts'
import * as store from './message-quota.store.ts'

/** How many user turns an org sent to a model within a day, in its busier environment. */
export const messagesUsed = (database: Queryable, clock: Clock) => async (org: string) => {
  const since = later(clock.now(), -dayMs)
  const counts = await Promise.all(environments.map((env) => store.countUsed(database, org, env, since)))
  return Math.max(...counts)
}

interface CountedCall {
  id: string
  org: string
  env: Environment
}

/** Counts user turns sent to a model against the message quota of their org and environment. */
export class MessageQuota {
  readonly #database: Database
  readonly #clock: Clock
  readonly #orgs: Orgs

  constructor(database: Database, clock: Clock, orgs: Orgs) {
    this.#database = database
    this.#clock = clock
    this.#orgs = orgs
  }

  /** Counts a turn once, however often it is retried; refused past the quota. */
  async admit(call: CountedCall, seqs: readonly number[]) {
    const now = this.#clock.now()
    const org = await this.#orgs.lookUp(call.org)
    if (org?.quotas.messages === null) await store.insertUsed(this.#database, call, seqs, now)
    else await this.#admitWithin(call, seqs, now)
  }

  async #admitWithin(call: CountedCall, seqs: readonly number[], now: Date) {
    await this.#database.transaction(async (tx) => {
      const { slug, quotas } = await this.#orgs.lock(tx, call.org) // locked, so that two calls cannot both use the last message
      const used = await store.countUsed(tx, call.org, call.env, later(now, -dayMs))
      const more = seqs.length - (await store.countKnown(tx, call.id, seqs))
      if (quotas.messages !== null && used + more > quotas.messages)
        throw tooMany(
          `org ${slug} has used its ${quotas.messages} messages of the last 24 hours in the ${call.env}: wait, or ask the operator for more`,
        ).as('QUOTA_EXCEEDED')
      await store.insertUsed(tx, call, seqs, now)
    })
  }

  async deleteExpired(database: Queryable = this.#database) {
    await store.deleteUsedBefore(database, later(this.#clock.now(), -dayMs))
  }
}

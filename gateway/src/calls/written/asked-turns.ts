import { environments, type Environment } from '@switchroom/contract/scopes'
import type { Database, Queryable } from '../../database/database.ts'
import { dayMs, later, type Clock } from '../../foundation/clock.ts'
import { tooMany } from '../../foundation/refusals.ts'
import type { Orgs } from '../../people/orgs/orgs.ts'
import * as store from './asked-turns.store.ts'

/** How many user turns an org put to a model within a day, in the environment where it was more. */
export const messagesAsked = (database: Queryable, clock: Clock) => async (org: string) => {
  const since = later(clock.now(), -dayMs)
  const counts = await Promise.all(environments.map((env) => store.countAsked(database, org, env, since)))
  return Math.max(...counts)
}

interface CountedCall {
  id: string
  org: string
  env: Environment
}

/** The user turns that were put to a model, against the quota of their org and environment. */
export class AskedTurns {
  readonly #database: Database
  readonly #clock: Clock
  readonly #orgs: Orgs

  constructor(database: Database, clock: Clock, orgs: Orgs) {
    this.#database = database
    this.#clock = clock
    this.#orgs = orgs
  }

  /** Counts a turn once, however often it is put; refused past the quota. */
  async admit(call: CountedCall, seqs: readonly number[]) {
    const now = this.#clock.now()
    const asked = await this.#orgs.lookUp(call.org)
    if (asked?.quotas.messages === null) await store.insertAsked(this.#database, call, seqs, now)
    else await this.#admitWithin(call, seqs, now)
  }

  async #admitWithin(call: CountedCall, seqs: readonly number[], now: Date) {
    await this.#database.transaction(async (tx) => {
      const { slug, quotas } = await this.#orgs.lock(tx, call.org) // held, so that two cannot both be the last
      const held = await store.countAsked(tx, call.org, call.env, later(now, -dayMs))
      const more = seqs.length - (await store.countKnown(tx, call.id, seqs))
      if (quotas.messages !== null && held + more > quotas.messages)
        throw tooMany(
          `org ${slug} has used its ${quotas.messages} messages of the last 24 hours in the ${call.env}: wait, or ask the operator for more`,
        )
      await store.insertAsked(tx, call, seqs, now)
    })
  }

  async deleteExpired() {
    await store.forgetAsked(this.#database, later(this.#clock.now(), -dayMs))
  }
}

import type { Database, Queryable, Transaction } from '../database/database.ts'
import type { Clock } from '../foundation/clock.ts'
import { tooMany } from '../foundation/refusals.ts'
import type { Orgs } from '../people/orgs/orgs.ts'
import * as store from './agents.store.ts'

/** How many agents an org has, against its quota. */
export const agentsHeld = (database: Queryable) => (org: string) => store.countAgents(database, org)

/** The agents of an org. No request creates one: the first write or registration that names it does. */
export class Agents {
  readonly #database: Database
  readonly #clock: Clock
  readonly #orgs: Orgs

  constructor(database: Database, clock: Clock, orgs: Orgs) {
    this.#database = database
    this.#clock = clock
    this.#orgs = orgs
  }

  /** Every agent that was ever named, by slug. */
  list(org: string): Promise<string[]> {
    return store.listAgents(this.#database, org)
  }

  /** Creates the agent if it does not exist, and locks it for the rest of the transaction. */
  async lock(tx: Transaction, orgId: string, slug: string): Promise<void> {
    if (await store.lockAgent(tx, orgId, slug)) return
    const { slug: org, quotas } = await this.#orgs.lock(tx, orgId) // held, so that two cannot both be the last
    if (await store.lockAgent(tx, orgId, slug)) return // named while this one waited
    const held = await store.countAgents(tx, orgId)
    if (quotas.agents !== null && held >= quotas.agents)
      throw tooMany(`org ${org} has used ${held} of its ${quotas.agents} agents: credits.exhausted`).as(
        'QUOTA_EXCEEDED',
      )
    await this.#name(tx, orgId, slug)
  }

  /** The same for one that a contact writes to, whose message is kept however many agents the org has. */
  async lockForContact(tx: Transaction, orgId: string, slug: string): Promise<void> {
    if (!(await store.lockAgent(tx, orgId, slug))) await this.#name(tx, orgId, slug)
  }

  async #name(tx: Transaction, orgId: string, slug: string) {
    await store.insertAgent(tx, orgId, slug, this.#clock.now())
    await store.lockAgent(tx, orgId, slug)
  }
}

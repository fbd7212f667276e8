import type { MintedKey } from '@switchroom/contract/keys'
import type { OwnOrgList, SwitchOrg } from '@switchroom/contract/sign-in'
import { recordAudit } from '../../audit/recording.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { forbidden, notFound } from '../../foundation/refusals.ts'
import { holderOf, type KeyHolder, type Mint, type Visitor } from '../keys/mint.ts'
import type { Orgs } from '../orgs/orgs.ts'
import type { Seat, Seats } from '../seats/seats.ts'
import * as store from './own-orgs.store.ts'

/** How a person signs in to an org: with their own seat, or as a visiting operator. */
export type Arrival = { seat: KeyHolder } | { visit: Visitor; org: string }

/** A person's orgs, and switching between them. */
export class OwnOrgs {
  readonly #database: Database
  readonly #orgs: Orgs
  readonly #seats: Seats
  readonly #mint: Mint

  constructor(database: Database, orgs: Orgs, seats: Seats, mint: Mint) {
    this.#database = database
    this.#orgs = orgs
    this.#seats = seats
    this.#mint = mint
  }

  /** Every org of the person, oldest first; an operator sees the others after them. */
  async list(caller: Caller): Promise<OwnOrgList> {
    const email = emailOf(caller)
    const own = (await this.#seats.of(email)).map(({ org, slug, org_name, role, status }) => ({
      org,
      slug,
      name: org_name,
      role,
      status,
      here: org === caller.org,
      member: true,
    }))
    if (!caller.operator) return { orgs: own }
    const others = (await store.orgsWithout(this.#database, email)).map((org) => ({
      ...org,
      role: 'operator' as const,
      status: null,
      here: org.org === caller.org,
      member: false,
    }))
    return { orgs: [...own, ...others] }
  }

  /** The person's key in another of their orgs; it is revoked with the key that asked. */
  async switch(caller: Caller, { org }: SwitchOrg): Promise<MintedKey> {
    return this.#database.transaction(async (tx) => {
      const arrival = await this.arrive(tx, caller, org)
      if ('visit' in arrival) {
        const visit = await this.#mint.forVisit(tx, arrival.org, arrival.visit, caller.key_id)
        await this.recordVisit(tx, caller, arrival.org, visit.key_id)
        return visit
      }
      const minted = await this.#mint.forPerson(tx, arrival.seat, caller.label, caller.key_id)
      const target = { kind: 'key', id: minted.key_id, label: minted.label } as const
      await recordAudit(tx, holderOf(minted, caller.from), 'person.signed_in', target, {
        detail: { by: 'switch' },
      })
      return minted
    })
  }

  /** An operator visits an org of which they are no member. */
  async recordVisit(tx: Transaction, caller: Caller, org: string, key: string) {
    const { slug = null } = (await this.#orgs.lookUp(org, tx)) ?? {}
    const visitor = { ...caller, visiting: true }
    const target = { kind: 'org', id: org, label: slug } as const
    await recordAudit(tx, visitor, 'org.visited', target, { org, env: null, detail: { key } })
  }

  /** Signs in, accepting an invitation if there is one; a member row in the org decides, whatever its status. */
  async arrive(tx: Transaction, caller: Caller, idOrSlug: string): Promise<Arrival> {
    const email = emailOf(caller)
    const seat = (await this.#seats.of(email, tx)).find(
      (row) => row.org === idOrSlug || row.slug === idOrSlug,
    )
    if (seat) return { seat: await this.#takeSeat(tx, caller, seat) }
    if (!caller.operator) throw notYours(idOrSlug)
    const org = await this.#orgs.lookUp(idOrSlug, tx)
    if (!org) throw notYours(idOrSlug)
    return { visit: { email, name: caller.name }, org: org.id }
  }

  /** A password session must not switch to an org that requires single sign-on, except its own. */
  async #takeSeat(tx: Transaction, caller: Caller, seat: Seat): Promise<Seat> {
    if (seat.org === caller.org && seat.status === 'active') return seat
    const entered = await this.#seats.enter(tx, seat, caller.from)
    if (!entered) throw notYours(seat.slug)
    return entered
  }
}

const notYours = (org: string) => notFound(`no org of yours is called ${org}`)

/** These routes admit only people, and every person has an address. */
function emailOf({ email }: Caller): string {
  if (email === null) throw forbidden("this door takes a person's key")
  return email
}

import {
  capNames,
  quotaNames,
  usualCaps,
  type Caps,
  type CreatedOrg,
  type CreateOrg,
  type Holding,
  type OrgDetail,
  type OrgList,
  type QuotaName,
  type Quotas,
  type QuotasAndCaps,
  type ReplacedQuotas,
  type ReplaceQuotas,
} from '@switchroom/contract/orgs'
import { changedFields, recordAudit } from '../../audit/recording.ts'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import type { Actor } from '../../foundation/caller.ts'
import type { Clock } from '../../foundation/clock.ts'
import { badRequest, notFound } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'
import { nameOf } from '../../foundation/text.ts'
import * as store from './orgs.store.ts'

export type { OrgRow } from './orgs.store.ts'

const slugForm = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/

const noLimit: Quotas = {
  minutes: null,
  messages: null,
  agents: null,
  concurrent_calls: null,
  numbers: null,
  seats: null,
}

/** An org's current use of a quota; each room provides its own count. */
export type HoldingCounts = Partial<Record<QuotaName, (org: string) => Promise<number>>>

/** Creates other rooms' rows for a new org, in the transaction that makes it. */
export type Equip = (tx: Transaction, org: string) => Promise<void>

/** The tenants of the deployment and their quotas. */
export class Orgs {
  readonly #database: Database
  readonly #clock: Clock
  readonly #holdingCounts: HoldingCounts
  readonly #equip: Equip

  constructor(database: Database, clock: Clock, holdingCounts: HoldingCounts, equip: Equip) {
    this.#database = database
    this.#clock = clock
    this.#holdingCounts = holdingCounts
    this.#equip = equip
  }

  slugOf(wanted: string): string {
    if (!slugForm.test(wanted))
      throw badRequest("an org's name is lower-case letters, digits and dashes, at most 40")
    return wanted
  }

  create(by: Actor, wanted: CreateOrg): Promise<CreatedOrg> {
    return this.#database.transaction(async (tx) => {
      const org = await this.createIn(tx, wanted)
      await recordAudit(tx, by, 'org.created', { kind: 'org', id: org.id, label: org.slug }, { org: org.id })
      return org
    })
  }

  async createIn(tx: Transaction, wanted: CreateOrg): Promise<CreatedOrg> {
    const slug = this.slugOf(wanted.slug)
    const name = wanted.name === undefined ? slug : nameOf(wanted.name)
    const org = {
      id: newId('org', 6),
      slug,
      name,
      quotas: noLimit,
      created_at: this.#clock.now().toISOString(),
    }
    await store.insertOrg(tx, org)
    await this.#equip(tx, org.id)
    return org
  }

  async list(): Promise<OrgList> {
    return { orgs: await store.listOrgs(this.#database) }
  }

  /** By id or slug; a slug has no underscore, so the two cannot collide. */
  async find(idOrSlug: string): Promise<store.OrgRow> {
    const org = await this.lookUp(idOrSlug)
    if (!org) throw notFound(`there is no org ${idOrSlug}`)
    return org
  }

  lookUp(idOrSlug: string, database: Queryable = this.#database): Promise<store.OrgRow | undefined> {
    return store.findOrg(database, idOrSlug)
  }

  async detail(idOrSlug: string): Promise<OrgDetail> {
    const org = await this.find(idOrSlug)
    return { ...org, holding: await this.#holding(org.id) }
  }

  /** Answers the caps if the request named one. */
  async replaceQuotas(by: Actor, idOrSlug: string, wanted: ReplaceQuotas): Promise<ReplacedQuotas> {
    const org = await this.find(idOrSlug)
    const named = capNames.filter((name) => wanted[name] !== undefined)
    for (const name of [...quotaNames, ...named]) {
      const limit = wanted[name] ?? 0
      if (limit < 0 || limit > 2_147_483_647)
        throw badRequest(`${name}: must be null or a whole number from 0 to 2147483647`)
    }
    const quotas = Object.fromEntries(quotaNames.map((name) => [name, wanted[name]])) as Quotas
    const caps = Object.fromEntries(named.map((name) => [name, wanted[name]])) as Partial<Caps>
    return this.#database.transaction(async (tx) => {
      const { id, slug, quotas: before } = await this.lock(tx, org.id)
      const capsBefore = { ...usualCaps, ...(await store.findCaps(tx, id)) }
      const changed = { ...usualCaps, ...(await store.replaceQuotas(tx, id, quotas, caps)) }
      const detail = changedFields({ ...before, ...capsBefore }, { ...quotas, ...changed })
      await recordAudit(tx, by, 'org.quotas_changed', { kind: 'org', id, label: slug }, { org: id, detail })
      return { quotas, ...(named.length > 0 && { caps: changed }) }
    })
  }

  async quotasAndCaps(idOrSlug: string): Promise<QuotasAndCaps> {
    const { id, quotas } = await this.find(idOrSlug)
    return { quotas, caps: { ...usualCaps, ...(await store.findCaps(this.#database, id)) } }
  }

  /** Takes the org's lock for the rest of the transaction. */
  async lock(tx: Transaction, id: string): Promise<store.OrgRow> {
    const org = await store.lockOrg(tx, id)
    if (!org) throw notFound(`there is no org ${id}`)
    return org
  }

  async #holding(org: string): Promise<Holding> {
    const counts = quotaNames.map(
      async (name) => [name, (await this.#holdingCounts[name]?.(org)) ?? 0] as const,
    )
    return Object.fromEntries(await Promise.all(counts)) as Holding
  }
}

import type { Caps, Org, Quotas } from '@switchroom/contract/orgs'
import { brokenConstraint, statement, type Queryable, type Transaction } from '../../database/database.ts'
import { conflict } from '../../foundation/refusals.ts'

export interface OrgRow extends Org {
  quotas: Quotas
}

const insert = statement(`insert into orgs (id, slug, name, quotas, created_at) values ($1, $2, $3, $4, $5)`)

export async function insertOrg(tx: Transaction, org: OrgRow) {
  try {
    await tx.rows(insert, org.id, org.slug, org.name, org.quotas, org.created_at)
  } catch (error) {
    if (brokenConstraint(error) === 'orgs_slug_taken') throw conflict(`${org.slug} is taken`)
    throw error
  }
}

const all = statement<OrgRow>(`select id, slug, name, quotas, created_at from orgs order by ordinal`)

export const listOrgs = (database: Queryable) => database.rows(all)

const byName = statement<OrgRow>(
  `select id, slug, name, quotas, created_at from orgs where id = $1 or slug = $1`,
)

export const findOrg = (database: Queryable, idOrSlug: string) => database.row(byName, idOrSlug)

// Weaker than `for update`: a row that only refers to the org, such as a key, need not wait for it.
const locked = statement<OrgRow>(
  `select id, slug, name, quotas, created_at from orgs where id = $1 for no key update`,
)

/** Locked to the end of the transaction: one request at a time counts the org's seats and admins. */
export const lockOrg = (tx: Transaction, id: string) => tx.row(locked, id)

const setQuotas = statement<{ caps: Partial<Caps> }>(`
  update orgs set quotas = $2, caps = caps || $3 where id = $1 returning caps`)

/** Replaces all quotas, and the caps that are named. Answers the caps that differ from the default. */
export const replaceQuotas = async (
  database: Queryable,
  id: string,
  quotas: Quotas,
  caps: Partial<Caps>,
): Promise<Partial<Caps>> => (await database.row(setQuotas, id, quotas, caps))?.caps ?? {}

const ownCaps = statement<{ caps: Partial<Caps> }>(`select caps from orgs where id = $1`)

export const findCaps = async (database: Queryable, id: string): Promise<Partial<Caps>> =>
  (await database.row(ownCaps, id))?.caps ?? {}

import type { Brand } from '@switchroom/contract/discovery'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'

/** What the operator set; null for the default. */
export type StoredBrand = { [Field in keyof Brand]: string | null }

const read = statement<StoredBrand>(`select name, logo_url, accent from brand`)

export const readBrand = (database: Queryable) => database.row(read)

const keepRow = statement(`insert into brand default values on conflict do nothing`)
const locked = statement<StoredBrand>(`select name, logo_url, accent from brand for update`)

/** Locked, so that two changes of different fields are both kept. */
export async function lockBrand(tx: Transaction): Promise<StoredBrand> {
  await tx.rows(keepRow)
  return (await tx.row(locked)) ?? { name: null, logo_url: null, accent: null }
}

const write = statement(`update brand set name = $1, logo_url = $2, accent = $3`)

export const writeBrand = (tx: Transaction, { name, logo_url, accent }: StoredBrand) =>
  tx.rows(write, name, logo_url, accent)

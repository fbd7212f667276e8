import { statement, type Queryable } from '../../database/database.ts'

const ofOrg = statement<{ vendor: string }>(`
  select vendor from provider_keys where org = $1 order by vendor collate "C"`)

export const listVendors = (database: Queryable, org: string) => database.rows(ofOrg, org)

const one = statement<{ sealed: Buffer }>(`select sealed from provider_keys where org = $1 and vendor = $2`)

export const findKey = (database: Queryable, org: string, vendor: string) => database.row(one, org, vendor)

const keep = statement(`
  insert into provider_keys (org, vendor, sealed) values ($1, $2, $3)
  on conflict (org, vendor) do update set sealed = excluded.sealed`)

export const keepKey = (database: Queryable, org: string, vendor: string, sealed: Buffer) =>
  database.rows(keep, org, vendor, sealed)

const remove = statement<{ vendor: string }>(`
  delete from provider_keys where org = $1 and vendor = $2 returning vendor`)

/** Answers nothing when there was none. */
export const deleteKey = (database: Queryable, org: string, vendor: string) =>
  database.row(remove, org, vendor)

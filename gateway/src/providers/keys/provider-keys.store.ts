import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable } from '../../database/database.ts'

/** An org, and the one environment that a key is for; null for a key for both. */
export interface KeyPlace {
  org: string
  env: Environment | null
}

const ofBoth = statement<{ vendor: string }>(`
  select vendor from provider_keys where org = $1 order by vendor collate "C"`)
const ofOne = statement<{ vendor: string }>(`
  select vendor from environment_provider_keys where org = $1 and env = $2 order by vendor collate "C"`)

/** Only the keys for exactly this scope. */
export const listVendors = (database: Queryable, { org, env }: KeyPlace) =>
  env === null ? database.rows(ofBoth, org) : database.rows(ofOne, org, env)

const running = statement<{ vendor: string }>(`
  select vendor from provider_keys where org = $1
  union
  select vendor from environment_provider_keys where org = $1 and env = $2`)

/** The vendors with a key that calls of the environment use. */
export const listRunning = (database: Queryable, org: string, env: Environment) =>
  database.rows(running, org, env)

const one = statement<{ sealed: Buffer; env: Environment | null }>(`
  select sealed, env from environment_provider_keys where org = $1 and vendor = $2 and env = $3
  union all
  select sealed, null from provider_keys where org = $1 and vendor = $2
  order by env nulls last limit 1`)

/** The environment's own key before the one for both; never the other environment's. */
export const findKey = (database: Queryable, org: string, vendor: string, env: Environment) =>
  database.row(one, org, vendor, env)

const keepForBoth = statement(`
  insert into provider_keys (org, vendor, sealed) values ($1, $2, $3)
  on conflict (org, vendor) do update set sealed = excluded.sealed`)
const keepForOne = statement(`
  insert into environment_provider_keys (org, vendor, sealed, env) values ($1, $2, $3, $4)
  on conflict (org, env, vendor) do update set sealed = excluded.sealed`)

export const keepKey = (database: Queryable, { org, env }: KeyPlace, vendor: string, sealed: Buffer) =>
  env === null
    ? database.rows(keepForBoth, org, vendor, sealed)
    : database.rows(keepForOne, org, vendor, sealed, env)

const removeOfBoth = statement<{ vendor: string }>(`
  delete from provider_keys where org = $1 and vendor = $2 returning vendor`)
const removeOfOne = statement<{ vendor: string }>(`
  delete from environment_provider_keys where org = $1 and vendor = $2 and env = $3 returning vendor`)

/** Undefined if there was none. */
export const deleteKey = (database: Queryable, { org, env }: KeyPlace, vendor: string) =>
  env === null ? database.row(removeOfBoth, org, vendor) : database.row(removeOfOne, org, vendor, env)

import type { FenceTerms } from '@switchroom/contract/trunk-terms'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'

/** Notified without a payload whenever a fence changed. */
export const fencesChannel = 'fences'

export interface FenceRow {
  name: string
  scope: string
  networks: string[]
  numbers: string[]
  pair: Buffer | null
  fleet: string
  terms: FenceTerms
}

const lock = statement(`select pg_advisory_xact_lock(hashtextextended('fences of the embedded plane', 0))`)

/** Until the transaction ends. */
export const lockFences = (tx: Transaction) => tx.rows(lock)

const columns = 'name, scope, networks, numbers, pair, fleet, terms'

const all = statement<FenceRow>(`select ${columns} from fences order by name`)
export const readFences = (database: Queryable) => database.rows(all)

const orgs = statement<{ org: string }>(`select distinct split_part(scope, '/', 1) as org from fences`)
export const readOrgs = async (database: Queryable) => (await database.rows(orgs)).map(({ org }) => org)

const ofScopes = statement<FenceRow>(`select ${columns} from fences where scope = any($1) order by name`)
export const readFencesOf = (database: Queryable, scopes: readonly string[]) =>
  database.rows(ofScopes, scopes)

const listed = statement<{ number: string }>(`
  select number from fences, unnest(numbers) as listed (number)
  where numbers && $1 and scope <> all($2) and number = any($1)
  order by number`)
export const readListedElsewhere = (
  database: Queryable,
  numbers: readonly string[],
  scopes: readonly string[],
) => database.rows(listed, numbers, scopes)

const anyListed = statement<{ number: string }>(`
  select unnest(f.numbers) as number from fences f
  where not exists (select from unnest($2::text[]) as own (scope) where own.scope = f.scope)
  intersect select unnest($1::text[])
  limit 1`)
/** For thousands of numbers, which would be as many searches of the index: all fences are read once. */
export const findAnyListedElsewhere = (
  database: Queryable,
  numbers: readonly string[],
  scopes: readonly string[],
) => database.row(anyListed, numbers, scopes)

const put = statement(`
  insert into fences (name, scope, networks, numbers, pair, fleet, terms) values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (name) do update set scope = excluded.scope, networks = excluded.networks,
    numbers = excluded.numbers, pair = excluded.pair, fleet = excluded.fleet, terms = excluded.terms`)
export const putFence = (tx: Transaction, { name, scope, networks, numbers, pair, fleet, terms }: FenceRow) =>
  tx.rows(put, name, scope, networks, numbers, pair, fleet, terms)

const putEvery = statement(`
  insert into fences (name, scope, networks, numbers, pair, fleet, terms)
  select name, scope, networks, numbers, decode(pair, 'base64'), fleet, terms
  from json_to_recordset($1::json) as put (
    name text, scope text, networks text[], numbers text[], pair text, fleet text, terms jsonb)
  on conflict (name) do update set scope = excluded.scope, networks = excluded.networks,
    numbers = excluded.numbers, pair = excluded.pair, fleet = excluded.fleet, terms = excluded.terms`)
export const putFences = (tx: Transaction, fences: readonly FenceRow[]) => {
  const written = fences.map(({ pair, ...fence }) => ({ ...fence, pair: pair?.toString('base64') ?? null }))
  return tx.rows(putEvery, JSON.stringify(written))
}

const dropEvery = statement('delete from fences where name = any($1)')
export const dropFences = (tx: Transaction, names: readonly string[]) => tx.rows(dropEvery, names)

const drop = statement('delete from fences where name = $1')
export const dropFence = (tx: Transaction, name: string) => tx.rows(drop, name)

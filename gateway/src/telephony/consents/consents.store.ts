import type { ConsentFact, ConsentKind, Evidence } from '@switchroom/contract/consents'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'

/** What is written of several numbers at once. */
export interface NewFact {
  org: string
  fact: 'consent' | 'opt_out'
  kind: ConsentKind | null
  source: string | null
  text: string | null
  evidence: Evidence | null
  by: string
  call: string | null
  at: Date
}

const share = statement(`select from orgs where id = $1 for key share`)

/** A transaction that locked the org and then writes facts must not wait for one that writes facts and then needs the org. */
export const shareOrg = (tx: Transaction, org: string) => tx.rows(share, org)

// A number's standing is locked before its fact gets an ordinal, so that the last written is the newest; numbers in one
// order, so that no two writers wait for each other.
const write = statement(`
  with asked as (
    select id, number from unnest($1::text[], $2::text[]) as asked (id, number)
  ), standing as (
    insert into consent_standings (org, number, fact, ordinal)
    select $3, number, $4, nextval('consents_ordinal_seq') from asked order by number collate "C"
    on conflict (org, number) do update set fact = excluded.fact, ordinal = nextval('consents_ordinal_seq')
    returning number, ordinal
  )
  insert into consents (ordinal, id, org, number, fact, kind, source, words, evidence, by, call, at)
  overriding system value
  select standing.ordinal, asked.id, $3, number, $4, $5, $6, $7, $8, $9, $10, $11
  from standing join asked using (number)`)

/** One fact of each; the numbers are distinct. */
export const insertFacts = (
  tx: Transaction,
  ids: readonly string[],
  numbers: readonly string[],
  { org, fact, kind, source, text, evidence, by, call, at }: NewFact,
) =>
  tx.rows(
    write,
    ids,
    numbers,
    org,
    fact,
    kind,
    source,
    text,
    evidence === null ? null : JSON.stringify(evidence),
    by,
    call,
    at,
  )

const standing = statement<{ fact: NewFact['fact'] }>(`
  select fact from consent_standings where org = $1 and number = $2`)

export const findStanding = (database: Queryable, org: string, number: string) =>
  database.row(standing, org, number)

const history = statement<ConsentFact>(`
  select id, number, fact, kind, source, words as text, evidence, by, call,
    extract(epoch from at)::float8 as at
  from consents where org = $1 and number = $2 order by ordinal desc`)

export const listFacts = (database: Queryable, org: string, number: string) =>
  database.rows(history, org, number)

export interface ListedOptOut extends Pick<ConsentFact, 'number' | 'source' | 'by' | 'call' | 'at'> {
  ordinal: number
}

// Each fact is looked up by its key, with a limit: else PostgreSQL may go through everybody's facts beside the org's.
const list = statement<ListedOptOut>(`
  select c.number, source, by, call, extract(epoch from at)::float8 as at, s.ordinal
  from (
    select ordinal from consent_standings
    where org = $1 and fact = 'opt_out' and ($2::bigint is null or ordinal < $2)
    order by ordinal desc limit $3
  ) s
  cross join lateral (select number, source, by, call, at from consents where ordinal = s.ordinal limit 1) c
  order by s.ordinal desc`)

export const listOptedOut = (database: Queryable, org: string, before: number | null, limit: number) =>
  database.rows(list, org, before, limit)

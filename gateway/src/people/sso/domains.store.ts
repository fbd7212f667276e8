import type { ProviderOrg } from '@switchroom/contract/sso'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'

export interface DomainRow {
  domain: string
  token: string | null
  verified: boolean
}

// A domain without a token was declared before proofs existed.
const isVerified = `(d.verified or d.token is null)`
const columns = `d.domain, d.token, ${isVerified} as verified`

const ofOrg = statement<DomainRow>(
  `select ${columns} from identity_provider_domains d where d.org = $1 order by d.ordinal`,
)

export const listDomains = (database: Queryable, org: string) => database.rows(ofOrg, org)

const give = statement<{ token: string }>(`
  update identity_provider_domains set token = coalesce(token, $3), verified = verified or token is null
  where org = $1 and domain = $2 returning token`)

/** Sets the token of a domain that has none yet; of two concurrent ones the first wins. */
export const giveToken = async (database: Queryable, org: string, domain: string, token: string) =>
  (await database.row(give, org, domain, token))?.token

const dropOthers = statement(
  `delete from identity_provider_domains where org = $1 and domain <> all($2::text[])`,
)

export const dropOtherDomains = (tx: Transaction, org: string, domains: readonly string[]) =>
  tx.rows(dropOthers, org, domains)

const keep = statement(`
  insert into identity_provider_domains (org, domain, token, ordinal, verified)
  select $1, named.*, false from unnest($2::text[], $3::text[]) with ordinality as named
  on conflict (org, domain) do update set ordinal = excluded.ordinal`)

/** A domain that was listed before keeps its token and its verification. */
export const keepDomains = (
  tx: Transaction,
  org: string,
  domains: readonly string[],
  tokens: readonly string[],
) => tx.rows(keep, org, domains, tokens)

const prove = statement<{ domain: string }>(`
  update identity_provider_domains set verified = true
  where org = $1 and domain = $2 and token = $3 returning domain`)

export const proveDomain = (database: Queryable, org: string, domain: string, token: string) =>
  database.row(prove, org, domain, token)

const verifiedAmong = statement(`
  select from identity_provider_domains d
  where d.org = $1 and d.domain = any($2::text[]) and ${isVerified} limit 1`)

export const isAnyVerified = async (database: Queryable, org: string, domains: readonly string[]) =>
  (await database.row(verifiedAmong, org, domains)) !== undefined

const orgsAt = statement<ProviderOrg>(`
  select o.id as org, o.slug, o.name from identity_provider_domains d join orgs o on o.id = d.org
  where d.domain = $1 and ${isVerified} order by o.ordinal`)

export const orgsOfDomain = (database: Queryable, domain: string) => database.rows(orgsAt, domain)

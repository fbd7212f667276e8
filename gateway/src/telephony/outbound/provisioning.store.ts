import { statement, type Queryable } from '../../database/database.ts'

export interface CredentialRow {
  org: string
  account: string
  host: string
  username: string
  /** Sealed. */
  password: Buffer
  provisioned_at: string | null
}

const one = statement<CredentialRow>(`
  select org, account, host, username, password, provisioned_at
  from outbound_credentials where org = $1 and account = $2`)

export const findCredential = (database: Queryable, org: string, account: string) =>
  database.row(one, org, account)

const keep = statement(`
  insert into outbound_credentials (org, account, host, username, password) values ($1, $2, $3, $4, $5)
  on conflict (org, account) do nothing`)

/** A password that is kept already stays: the carrier may have heard it. */
export const keepCredential = (
  database: Queryable,
  { org, account, host, username, password }: Omit<CredentialRow, 'provisioned_at'>,
) => database.rows(keep, org, account, host, username, password)

const settle = statement(`
  update outbound_credentials set host = $3, provisioned_at = coalesce(provisioned_at, $4)
  where org = $1 and account = $2`)

export const setProvisioned = (database: Queryable, org: string, account: string, host: string, now: Date) =>
  database.rows(settle, org, account, host, now)

const provisioned = statement<{ account: string }>(`
  select account from outbound_credentials where org = $1 and provisioned_at is not null`)

export const listProvisioned = (database: Queryable, org: string) => database.rows(provisioned, org)

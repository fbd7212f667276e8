import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'

export interface NumberRow {
  number: string
  agent: string
  account: string | null
  channel: string
  managed: boolean
  origin: string
  fallback_accounts: string[]
}

const locked = statement<NumberRow>(`
  select number, agent, account, channel, managed, origin, fallback_accounts from numbers
  where number = $1 and org = $2 and env = $3 for update`)

export const lockNumber = (tx: Transaction, number: string, org: string, env: Environment) =>
  tx.row(locked, number, org, env)

export interface NamedAccount {
  account: string
  kind: string
  can_dial: boolean
}

// Locked, so that none of them is forgotten before the number has named it.
const named = statement<NamedAccount>(`
  select a.account, a.kind, case a.kind
      when 'sip' then a.dials_at is not null
      when 'apicarrier' then exists (
        select from outbound_credentials o
        where o.org = a.org and o.account = a.account and o.provisioned_at is not null)
      else false
    end as can_dial
  from carrier_accounts a
  where a.org = $1 and a.account = any($2) and a.forgotten_at is null
  order by a.account for share of a`)

export const lockAccounts = (tx: Transaction, org: string, accounts: readonly string[]) =>
  tx.rows(named, org, accounts)

const set = statement('update numbers set fallback_accounts = $2 where number = $1')

export const setFallbacks = (database: Queryable, number: string, accounts: readonly string[]) =>
  database.rows(set, number, accounts)

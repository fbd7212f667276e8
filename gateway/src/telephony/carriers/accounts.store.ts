import type { CarrierKind } from '@switchroom/contract/carriers'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'

export interface AccountRow {
  org: string
  account: string
  kind: CarrierKind
  label: string
  sealed: Buffer
  /** Of a SIP peer, as the org last sent them. */
  networks: string[]
  /** Where the platform dials a SIP peer. */
  dials_at: string | null
  /** Whether a worker registers a SIP peer's user. */
  registers: boolean
  /** Which extensions agents may dial at a SIP peer. */
  dial_extensions: string[]
  forgotten_at: string | null
}

const columns =
  'org, account, kind, label, sealed, networks, dials_at, registers, dial_extensions, forgotten_at'

const held = statement<AccountRow>(`
  select ${columns} from carrier_accounts where org = $1 and forgotten_at is null order by ordinal`)

export const listAccounts = (database: Queryable, org: string) => database.rows(held, org)

const one = statement<AccountRow>(`select ${columns} from carrier_accounts where org = $1 and account = $2`)

/** A forgotten one too. */
export const findAccount = (database: Queryable, org: string, account: string) =>
  database.row(one, org, account)

const peers = statement<AccountRow>(`
  select ${columns} from carrier_accounts a where org = any($1::text[]) and kind = 'sip'
    and exists (select from numbers n where n.org = a.org and n.account = a.account)`)

/** SIP peers that numbers of these orgs live in, forgotten ones too. */
export const listPeers = (database: Queryable, orgs: readonly string[]) => database.rows(peers, orgs)

const locked = statement<AccountRow>(`${one.text} for update`)

export const lockAccount = (tx: Transaction, org: string, account: string) => tx.row(locked, org, account)

const insert = statement<{ account: string }>(`
  insert into carrier_accounts (org, account, kind, label, sealed, networks, dials_at, registers,
    dial_extensions, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  on conflict (org, account) do nothing returning account`)

export type KeptAccount = Omit<AccountRow, 'forgotten_at'>

/** Answers nothing when another request was first. */
export const insertAccount = (tx: Transaction, kept: KeptAccount, now: Date) =>
  tx.row(insert, ...valuesOf(kept), now)

const replace = statement(`
  update carrier_accounts
  set kind = $3, label = $4, sealed = $5, networks = $6, dials_at = $7, registers = $8,
    dial_extensions = $9, forgotten_at = null
  where org = $1 and account = $2`)

export const replaceAccount = (tx: Transaction, kept: KeptAccount) => tx.rows(replace, ...valuesOf(kept))

const valuesOf = (kept: KeptAccount) => {
  const { org, account, kind, label, sealed, networks, dials_at, registers, dial_extensions } = kept
  return [org, account, kind, label, sealed, networks, dials_at, registers, dial_extensions] as const
}

const forget = statement(`
  update carrier_accounts set sealed = $3, dials_at = null, registers = false, forgotten_at = $4 where org = $1 and account = $2`)

/** Only what admits its numbers stays sealed. */
export const forgetAccount = (tx: Transaction, org: string, account: string, sealed: Buffer, now: Date) =>
  tx.rows(forget, org, account, sealed, now)

const unname = statement(`
  update numbers set fallback_accounts = array_remove(fallback_accounts, $2)
  where org = $1 and $2 = any(fallback_accounts)`)

/** No number falls back to it any more: another account may get its id. */
export const dropFallbacksTo = (tx: Transaction, org: string, account: string) =>
  tx.rows(unname, org, account)

const living = statement<{ number: string }>(`
  select number from numbers where org = $1 and account = $2 limit 1`)

export const numberLivingIn = (database: Queryable, org: string, account: string) =>
  database.row(living, org, account)

const removeDead = statement(`
  delete from carrier_accounts a where forgotten_at < $1
    and not exists (select from numbers n where n.org = a.org and n.account = a.account)`)

export const removeDeadAccounts = (database: Queryable, forgottenBefore: Date) =>
  database.rows(removeDead, forgottenBefore)

interface RegistrationRow {
  state: 'trying' | 'registered' | 'refused'
  until: number | null
  says: string | null
}

const registration = statement<RegistrationRow>(`
  select state, extract(epoch from until)::float8 as until, says from sip_registrations
  where org = $1 and account = $2 and leased_until > $3 and (until is null or until > $3)`)

/** What a worker last said of it; nothing if none keeps it registered. */
export const findRegistration = (database: Queryable, org: string, account: string, now: Date) =>
  database.row(registration, org, account, now)

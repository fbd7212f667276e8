import type { Environment } from '@switchroom/contract/scopes'
import type { PlacingResult } from '@switchroom/media/plane'
import { statement, type Queryable } from '../../database/database.ts'
import { shownColumn } from '../../foundation/number-keys.ts'

export interface AccountNumber {
  number: string
  agent: string
}

const ofAccount = statement<AccountNumber>(`
  select ${shownColumn('number')} as number, agent from numbers
  where org = $1 and env = $2 and account = $3 and channel = 'phone'
    and ($4::text is null or ${shownColumn('number')} = $4)
  order by ordinal limit 1`)

/** The number of the account that is meant, else its first. */
export const findNumber = (
  database: Queryable,
  { org, env, account }: { org: string; env: Environment; account: string },
  number: string | undefined,
) => database.row(ofAccount, org, env, account, number ?? null)

const own = statement<{ number: string }>(`
  select number from numbers where number = $1 and org = $2 and env = $3 and channel = 'phone'`)

export const findOwn = (database: Queryable, number: string, org: string, env: Environment) =>
  database.row(own, number, org, env)

const result = statement(`
  insert into dial_results (call, outcome, sip_status, sip_reason, why, account, at)
  values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`)

/** How the dial of a test went, for the ledger. */
export const insertResult = (
  database: Queryable,
  call: string,
  account: string,
  { outcome, sip_status, sip_reason, why }: PlacingResult,
  now: Date,
) => database.rows(result, call, outcome, sip_status, sip_reason, why, account, now)

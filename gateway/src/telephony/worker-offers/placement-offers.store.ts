import type { FailedAccount } from '@switchroom/contract/dialling'
import type { Environment } from '@switchroom/contract/scopes'
import type { PlacingOutcome, PlacingResult } from '@switchroom/media/plane'
import { statement, type Queryable } from '../../database/database.ts'

export interface OfferRow {
  call: string
  org: string
  env: Environment
  sealed: Buffer
}

export interface PlacementOfferState {
  worker: string | null
  outcome: PlacingOutcome | null
}

const offer = statement(`
  insert into placement_offers (call, org, env, sealed, offered_at) values ($1, $2, $3, $4, $5)`)
export const insertOffer = (database: Queryable, { call, org, env, sealed }: OfferRow, now: Date) =>
  database.rows(offer, call, org, env, sealed, now)

// Offers that another worker is taking now are passed over, not waited for.
const take = statement<OfferRow>(`
  with next as (
    select call from placement_offers
    where env = $1 and ($2 = '' or org = $2) and worker is null and outcome is null and offered_at > $3
    order by offered_at limit 1 for update skip locked
  )
  update placement_offers o set worker = $4 from next where o.call = next.call returning o.call, o.org, o.env, o.sealed`)
/** An empty org means any. */
export const takeOffer = (database: Queryable, env: Environment, org: string, since: Date, worker: string) =>
  database.row(take, env, org, since, worker)

const giveBack = statement<{ env: Environment }>(`
  update placement_offers set worker = null where call = $1 and worker = $2 and outcome is null returning env`)
export const giveBackOffer = (database: Queryable, call: string, worker: string) =>
  database.row(giveBack, call, worker)

const read = statement<PlacementOfferState>(`select worker, outcome from placement_offers where call = $1`)
export const readOffer = (database: Queryable, call: string) => database.row(read, call)

const readOf = statement<PlacementOfferState>(
  `select worker, outcome from placement_offers where call = $1 and org = $2 and env = $3`,
)
export const readOfferOf = (database: Queryable, call: string, org: string, env: Environment) =>
  database.row(readOf, call, org, env)

const tell = statement<{ outcome: PlacingOutcome }>(`
  update placement_offers
  set outcome = $5, sip_status = $6, sip_reason = $7, why = $8, account = $9, failed_accounts = $10
  where call = $1 and org = $2 and env = $3 and worker = $4 and outcome is null returning outcome`)
export const tellOffer = (
  database: Queryable,
  of: { call: string; org: string; env: Environment; worker: string },
  { outcome, sip_status, sip_reason, why, account, failed_accounts = [] }: PlacingResult,
) => {
  const { call, org, env, worker } = of
  const carriers = [account ?? null, JSON.stringify(failed_accounts)] as const
  return database.row(tell, call, org, env, worker, outcome, sip_status, sip_reason, why, ...carriers)
}

interface ResultRow extends Omit<PlacingResult, 'account' | 'failed_accounts'> {
  account: string | null
  failed_accounts: FailedAccount[]
}

const close = statement<ResultRow>(`
  update placement_offers set outcome = coalesce(outcome, $2), why = case when outcome is null then $3 else why end
  where call = $1 returning outcome, sip_status, sip_reason, why, account, failed_accounts`)
/** The result that a worker reported before; else this one, which no far end answered. */
export async function closeOffer(
  database: Queryable,
  call: string,
  { outcome, why }: PlacingResult,
): Promise<PlacingResult | undefined> {
  const row = await database.row(close, call, outcome, why)
  if (!row) return undefined
  const { account, failed_accounts, ...result } = row
  return { ...result, ...(account !== null && { account }), ...(failed_accounts[0] && { failed_accounts }) }
}

const forget = statement('delete from placement_offers where offered_at < $1')
export const deleteOffers = (database: Queryable, before: Date) => database.rows(forget, before)

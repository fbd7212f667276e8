import type { TellTrunkTest } from '@switchroom/contract/media-plane'
import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable } from '../../database/database.ts'

export type WorkersReport = Omit<TellTrunkTest, 'worker'>

export interface OfferRow {
  id: string
  org: string
  env: Environment
  sealed: Buffer
}

export interface NewOffer extends OfferRow {
  called: string | null
  caller: string | null
}

const offer = statement(`
  insert into trunk_test_offers (id, org, env, sealed, called, caller, offered_at)
  values ($1, $2, $3, $4, $5, $6, $7)`)
export const insertOffer = (database: Queryable, row: NewOffer, now: Date) =>
  database.rows(offer, row.id, row.org, row.env, row.sealed, row.called, row.caller, now)

// An offer that another worker is taking now is passed over, not waited for.
const take = statement<OfferRow>(`
  with next as (
    select id from trunk_test_offers
    where env = $1 and ($2 = '' or org = $2) and worker is null and report is null and offered_at > $3
    order by offered_at limit 1 for update skip locked
  )
  update trunk_test_offers o set worker = $4 from next where o.id = next.id returning o.id, o.org, o.env, o.sealed`)
/** An empty org means any. */
export const takeOffer = (database: Queryable, env: Environment, org: string, since: Date, worker: string) =>
  database.row(take, env, org, since, worker)

const giveBack = statement<{ env: Environment }>(`
  update trunk_test_offers set worker = null where id = $1 and worker = $2 and report is null returning env`)
export const giveBackOffer = (database: Queryable, id: string, worker: string) =>
  database.row(giveBack, id, worker)

const tell = statement<{ id: string }>(`
  update trunk_test_offers set report = $4
  where id = $1 and worker = $2 and ($3 = '' or org = $3) and report is null returning id`)
/** An empty org means any; nothing if it is not this worker's, or over. */
export const tellOffer = (
  database: Queryable,
  id: string,
  worker: string,
  org: string,
  report: WorkersReport,
) => database.row(tell, id, worker, org, JSON.stringify(report))

export interface OfferState {
  worker: string | null
  report: WorkersReport | null
}

const read = statement<OfferState>('select worker, report from trunk_test_offers where id = $1')
export const readOffer = (database: Queryable, id: string) => database.row(read, id)

const close = statement(
  `update trunk_test_offers set report = '{"steps": []}' where id = $1 and report is null`,
)
/** No worker takes it or reports on it any more. */
export const closeOffer = (database: Queryable, id: string) => database.rows(close, id)

const echoed = statement<{ id: string }>(`
  select id from trunk_test_offers
  where called = $1 and caller = $2 and report is null and worker is not null and offered_at > $3 limit 1`)
export const findCalled = (database: Queryable, called: string, caller: string, since: Date) =>
  database.row(echoed, called, caller, since)

const forget = statement('delete from trunk_test_offers where offered_at < $1')
export const deleteOffers = (database: Queryable, before: Date) => database.rows(forget, before)

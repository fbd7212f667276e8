import type { BrowserOffer, Reconnect } from '@switchroom/contract/media-plane'
import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'

const offer = statement<{ call: string; env: Environment }>(`
  update browser_calls b set offered_at = $3, offer = $2 from calls c
  where b.digest = $1 and b.expires_at > $3 and b.offered_at is null and c.id = b.call and c.ended_at is null
  returning b.call, b.env`)

/** Of several that come by one token at the same time, one; undefined for a token that opens nothing. */
export const offerSound = (database: Queryable, digest: Buffer, sdp: string, now: Date) =>
  database.row(offer, digest, sdp, now)

const running = statement<{ call: string; reconnects: number }>(`
  select b.call, b.reconnects from browser_calls b join calls c on c.id = b.call
  where b.digest = $1 and b.answered_at is not null and c.ended_at is null`)

/** The running call that a token opened. */
export const findRunning = (database: Queryable, digest: Buffer) => database.row(running, digest)

const reoffer = statement<{ call: string }>(`
  update browser_calls set offer = $2, answer = null, refused = null, reconnects = reconnects + 1
  where call = $1 and answered_at is not null returning call`)

/** In place of an earlier one that nobody has answered. */
export const offerAgain = (tx: Transaction, call: string, sdp: string) => tx.row(reoffer, call, sdp)

const offered = statement<Reconnect>(`
  select offer as sdp, reconnects as reconnect from browser_calls
  where call = $1 and org = $2 and env = $3 and worker = $4 and answered_at is not null and offer is not null`)

/** What the browser of a running call offers anew. */
export const readReconnect = (
  database: Queryable,
  of: { call: string; org: string; env: Environment; worker: string },
) => database.row(offered, of.call, of.org, of.env, of.worker)

// Offers that another worker is taking now are passed over, not waited for.
const take = statement<BrowserOffer>(`
  with next as (
    select call from browser_calls
    where env = $1 and ($2 = '' or org = $2) and worker is null and offered_at > $3
    order by offered_at limit 1 for update skip locked
  ), taken as (
    update browser_calls b set worker = $4 from next where b.call = next.call returning b.call, b.offer
  )
  select c.id as call, c.org, c.env, c.agent, taken.offer as sdp from taken join calls c on c.id = taken.call`)

/** An empty org means any. */
export const takeOffer = (database: Queryable, env: Environment, org: string, since: Date, worker: string) =>
  database.row(take, env, org, since, worker)

const giveBack = statement<{ env: Environment }>(`
  update browser_calls set worker = null
  where call = $1 and worker = $2 and answer is null and refused is null returning env`)

export const giveBackOffer = (database: Queryable, call: string, worker: string) =>
  database.row(giveBack, call, worker)

export interface SoundOfferState {
  worker: string | null
  answer: string | null
  refused: string | null
}

const read = statement<SoundOfferState>(`select worker, answer, refused from browser_calls where call = $1`)

export const readOffer = (database: Queryable, call: string) => database.row(read, call)

const readOf = statement<SoundOfferState>(`
  select worker, answer, refused from browser_calls where call = $1 and org = $2 and env = $3`)

export const readOfferOf = (database: Queryable, call: string, org: string, env: Environment) =>
  database.row(readOf, call, org, env)

const answer = statement<{ call: string }>(`
  update browser_calls set answer = $5, refused = $6, offer = null,
    answered_at = coalesce(answered_at, case when $5::text is not null then $7::timestamptz end)
  where call = $1 and org = $2 and env = $3 and worker = $4 and answer is null and refused is null
    and reconnects = coalesce($8, 0)
  returning call`)

/** Once, and only while the browser waits for it. */
export const answerOffer = (
  database: Queryable,
  of: { call: string; org: string; env: Environment; worker: string; reconnect?: number | undefined },
  told: { sdp?: string; refused?: string },
  now: Date,
) => database.row(answer, of.call, of.org, of.env, of.worker, told.sdp, told.refused, now, of.reconnect)

const withdraw = statement<{ call: string }>(`
  update browser_calls set offer = null, refused = null,
    offered_at = case when answered_at is not null then offered_at end,
    worker = case when answered_at is not null then worker end
  where call = $1 and answer is null returning call`)

/** Undefined if an answer came at the same time. */
export const withdrawOffer = (database: Queryable, call: string) => database.row(withdraw, call)

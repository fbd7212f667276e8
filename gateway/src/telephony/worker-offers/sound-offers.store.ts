import type { BrowserOffer } from '@switchroom/contract/media-plane'
import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable } from '../../database/database.ts'
import { movedChannel, offeredChannel } from './worker-notifier.ts'

const offer = statement<{ call: string }>(`
  with offered as (
    update browser_calls b set offered_at = $3, offer = $2 from calls c
    where b.digest = $1 and b.expires_at > $3 and b.offered_at is null and c.id = b.call and c.ended_at is null
    returning b.call, b.env
  )
  select call, pg_notify('${offeredChannel}', env) from offered`)

/** Of several that come by one token at the same time, one; undefined for a token that opens nothing. */
export const offerSound = (database: Queryable, digest: Buffer, sdp: string, now: Date) =>
  database.row(offer, digest, sdp, now)

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

const giveBack = statement(`
  with given as (
    update browser_calls set worker = null
    where call = $1 and worker = $2 and answer is null and refused is null returning env
  )
  select pg_notify('${offeredChannel}', env) from given`)

export const giveBackOffer = (database: Queryable, call: string, worker: string) =>
  database.rows(giveBack, call, worker)

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
  with answered as (
    update browser_calls set answer = $5, refused = $6, offer = null
    where call = $1 and org = $2 and env = $3 and worker = $4 and answer is null and refused is null
    returning call
  )
  select call, pg_notify('${movedChannel}', call) from answered`)

/** Once, and only while the browser waits for it. */
export const answerOffer = (
  database: Queryable,
  of: { call: string; org: string; env: Environment; worker: string },
  told: { sdp?: string; refused?: string },
) => database.row(answer, of.call, of.org, of.env, of.worker, told.sdp, told.refused)

const withdraw = statement<{ call: string }>(`
  update browser_calls set offered_at = null, offer = null, worker = null, refused = null
  where call = $1 and answer is null returning call`)

/** Undefined if an answer came at the same time. */
export const withdrawOffer = (database: Queryable, call: string) => database.row(withdraw, call)

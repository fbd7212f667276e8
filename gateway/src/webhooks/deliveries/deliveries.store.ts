import type { Delivery } from '@switchroom/contract/webhooks'
import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'

export type DeliveryRow = Delivery & { ordinal: number }

const columns = `d.ordinal, d.event, v.type, v.agent, v.call, d.state, d.attempts, d.created_at,
  case when d.state = 'pending' and d.due_at <> 'infinity' then d.due_at end as next_at, d.settled_at,
  last.status, last.error`
const from = `webhook_deliveries d join webhook_events v on v.id = d.event
  left join lateral (
    select status, error from webhook_attempts a where a.delivery = d.ordinal order by attempt desc limit 1
  ) as last on true`

const page = statement<DeliveryRow>(`
  select ${columns} from ${from}
  where d.endpoint = $1 and d.ordinal < $2 and ($3::text is null or d.state = $3) and ($4::text is null or v.call = $4)
  order by d.ordinal desc limit $5`)

export interface Wanted {
  before: number
  state: string | null
  call: string | null
  limit: number
}

export const listDeliveries = (
  database: Queryable,
  endpoint: string,
  { before, state, call, limit }: Wanted,
) => database.rows(page, endpoint, before, state, call, limit)

const one = statement<DeliveryRow & { body: string | null }>(`
  select ${columns}, v.body from ${from} where d.endpoint = $1 and d.event = $2`)

export const findDelivery = (database: Queryable, endpoint: string, event: string) =>
  database.row(one, endpoint, event)

export interface AttemptRow {
  attempt: number
  at: string
  duration_ms: number
  signed_at: number | null
  signature: string | null
  status: number | null
  answer: string | null
  error: string | null
}

const attempts = statement<AttemptRow>(`
  select attempt, at, duration_ms, signed_at, signature, status, answer, error from webhook_attempts
  where delivery = $1 order by attempt desc limit $2`)

/** The newest. */
export const listAttempts = (database: Queryable, delivery: number, limit: number) =>
  database.rows(attempts, delivery, limit)

const again = statement<{ event: string }>(`
  update webhook_deliveries set state = 'pending', due_at = $3, settled_at = null, sender = null
  where endpoint = $1 and event = $2 and (state <> 'pending' or sender is null) returning event`)

/** Undefined while a gateway attempts it. */
export const redeliver = (tx: Transaction, endpoint: string, event: string, now: Date) =>
  tx.row(again, endpoint, event, now)

const allAgain = statement<{ event: string }>(`
  update webhook_deliveries set state = 'pending', due_at = $3, settled_at = null
  where endpoint = $1 and state = 'failed' and created_at >= $2 returning event`)

export const redeliverFailed = async (tx: Transaction, endpoint: string, since: string, now: Date) =>
  (await tx.rows(allAgain, endpoint, since, now)).length

const lock = statement<{ paused_at: string | null }>(`
  select paused_at from webhook_endpoints where id = $1 for share`)

/** So that it is not paused or deleted meanwhile. */
export const lockEndpoint = (tx: Transaction, endpoint: string) => tx.row(lock, endpoint)

const insertEvent = statement(`
  insert into webhook_events (id, org, env, agent, call, type, at, source) values ($1, $2, $3, null, null, $4, $5, $6)`)
const insertDelivery = statement(`
  insert into webhook_deliveries (endpoint, event, chain, place, created_at, due_at) values ($1, $2, $2, 0, $3, $3)`)

export async function insertTest(
  tx: Transaction,
  endpoint: { id: string; org: string; env: Environment },
  event: { id: string; type: string; source: string },
  now: Date,
) {
  await tx.rows(insertEvent, event.id, endpoint.org, endpoint.env, event.type, now, event.source)
  await tx.rows(insertDelivery, endpoint.id, event.id, now)
}

const expire = statement(`
  update webhook_deliveries set state = 'failed', settled_at = $2
  where state = 'pending' and due_at = 'infinity' and created_at < $1`)

/** What waited too long for a paused endpoint. */
export const expirePaused = (database: Queryable, before: Date, now: Date) =>
  database.rows(expire, before, now)

const removeOld = statement<{ id: string }>(`
  delete from webhook_events where id in (select id from webhook_events where at < $1 order by at limit $2)
  returning id`)

export const deleteOldEvents = async (database: Queryable, before: Date, limit: number) =>
  (await database.rows(removeOld, before, limit)).length

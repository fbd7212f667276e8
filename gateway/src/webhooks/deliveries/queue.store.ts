import { checkOf, type Check } from '../../database/due-checks.ts'
import { statement, type Queryable } from '../../database/database.ts'
import type { EndpointRow } from '../endpoints/endpoints.ts'
import type { EventRow } from '../events/payloads.ts'

export interface ClaimedDelivery {
  ordinal: number
  endpoint: string
  event: string
  /** This one included. */
  attempts: number
  created_at: string
  /** When another gateway may take it over. */
  due_at: string
}

const due = statement(`select from webhook_deliveries where state = 'pending' and due_at <= $1`)

export const dueCheck = (now: Date): Check => checkOf(due, now)

// The next of its chain, and nothing of the chain is being sent. A claim that ran out counts no more: its gateway died.
const claim = statement<ClaimedDelivery>(`
  update webhook_deliveries set due_at = $2, sender = $4, attempts = attempts + 1
  where ordinal = (
    select d.ordinal from webhook_deliveries d
    where d.state = 'pending' and d.due_at <= $1 and d.endpoint <> all($3::text[]) and not exists (
      select from webhook_deliveries e
      where e.endpoint = d.endpoint and e.chain = d.chain and e.state = 'pending' and e.ordinal <> d.ordinal
        and ((e.place, e.ordinal) < (d.place, d.ordinal) or (e.sender is not null and e.due_at > $1))
    )
    order by d.due_at, d.ordinal limit 1
    for update skip locked
  )
  returning ordinal, endpoint, event, attempts, created_at, due_at`)

/** The delivery that waits longest, taken until then; none to these endpoints. */
export const claimDelivery = (
  database: Queryable,
  now: Date,
  until: Date,
  exceptEndpoints: readonly string[],
  sender: string,
) => database.row(claim, now, until, exceptEndpoints, sender)

export type ToldEndpoint = Pick<EndpointRow, 'id' | 'org' | 'env' | 'url' | 'sealed' | 'paused_at'>

const endpointById = statement<ToldEndpoint>(`
  select id, org, env, url, sealed, paused_at from webhook_endpoints where id = $1`)

export const findEndpoint = (database: Queryable, id: string) => database.row(endpointById, id)

const eventById = statement<EventRow & { body: string | null }>(`
  select id, org, env, agent, call, type, at, source, body from webhook_events where id = $1`)

export const findEvent = (database: Queryable, id: string) => database.row(eventById, id)

const setBody = statement<{ body: string }>(`
  update webhook_events set body = coalesce(body, $2) where id = $1 returning body`)

/** What was made first is what every attempt sends. Undefined if the event was erased meanwhile. */
export const keepBody = async (database: Queryable, id: string, body: string) =>
  (await database.row(setBody, id, body))?.body

/** What came of an attempt. */
export interface Outcome {
  at: Date
  durationMs: number
  signedAtS: number | null
  signature: string | null
  status: number | null
  answer: string | null
  error: string | null
}

const attemptColumns = 'delivery, attempt, at, duration_ms, signed_at, signature, status, answer, error'
const valuesOf = (outcome: Outcome) => [
  outcome.at,
  outcome.durationMs,
  outcome.signedAtS,
  outcome.signature,
  outcome.status,
  outcome.answer,
  outcome.error,
]

// Also if the claim ran out meanwhile: the receiver has it.
const deliver = statement<{ ordinal: number }>(`
  with settled as (
    update webhook_deliveries set state = 'delivered', settled_at = $10, sender = null
    where ordinal = $1 and state = 'pending' returning ordinal
  ), kept as (
    insert into webhook_attempts (${attemptColumns})
    select ordinal, $2, $3, $4, $5, $6, $7, $8, $9 from settled on conflict do nothing
  )
  select ordinal from settled`)

export const keepDelivered = (
  database: Queryable,
  { ordinal, attempts }: ClaimedDelivery,
  outcome: Outcome,
  now: Date,
) => database.row(deliver, ordinal, attempts, ...valuesOf(outcome), now)

// What comes after it in its chain waits as long.
const fail = statement<{ ordinal: number }>(`
  with failed as (
    update webhook_deliveries
    set state = case when $12::timestamptz is null then 'failed' else 'pending' end,
      due_at = coalesce($12, due_at), settled_at = case when $12::timestamptz is null then $13::timestamptz end,
      sender = null
    where ordinal = $1 and state = 'pending' and sender = $10 and due_at = $11
    returning ordinal, endpoint, chain
  ), kept as (
    insert into webhook_attempts (${attemptColumns})
    select ordinal, $2, $3, $4, $5, $6, $7, $8, $9 from failed on conflict do nothing
  ), behind as (
    update webhook_deliveries d set due_at = $12 from failed
    where d.endpoint = failed.endpoint and d.chain = failed.chain and d.state = 'pending' and d.sender is null
      and d.ordinal <> failed.ordinal and d.due_at < $12
  )
  select ordinal from failed`)

/** Attempted again then, or given up. Undefined if the claim no longer holds. */
export const keepFailed = (
  database: Queryable,
  { ordinal, attempts, due_at }: ClaimedDelivery,
  outcome: Outcome,
  { sender, retryAt, now }: { sender: string; retryAt: Date | undefined; now: Date },
) => database.row(fail, ordinal, attempts, ...valuesOf(outcome), sender, due_at, retryAt ?? null, now)

const release = statement(`
  update webhook_deliveries set due_at = $4, sender = null, attempts = attempts - 1
  where ordinal = $1 and state = 'pending' and sender = $2 and due_at = $3`)

/** As if it had not been claimed. */
export const releaseDelivery = (
  database: Queryable,
  { ordinal, due_at }: ClaimedDelivery,
  sender: string,
  now: Date,
) => database.rows(release, ordinal, sender, due_at, now)

const remove = statement(`delete from webhook_deliveries where ordinal = $1`)

export const deleteDelivery = (database: Queryable, ordinal: number) => database.rows(remove, ordinal)

// At most once a minute, for all deliveries to one endpoint write to its row.
const succeeded = statement(`
  update webhook_endpoints set failing_since = null, delivered_at = $2
  where id = $1 and (failing_since is not null or delivered_at is null or delivered_at < $2::timestamptz - interval '1 minute')`)

export const noteSuccess = (database: Queryable, endpoint: string, now: Date) =>
  database.rows(succeeded, endpoint, now)

const beganToFail = statement<{ failing_since: string }>(`
  with begun as (
    update webhook_endpoints set failing_since = $2 where id = $1 and failing_since is null returning failing_since
  )
  select failing_since from begun
  union all
  select failing_since from webhook_endpoints where id = $1 and failing_since is not null`)

/** Since when it fails; undefined if it is deleted. */
export const noteFailure = async (database: Queryable, endpoint: string, now: Date) =>
  (await database.row(beganToFail, endpoint, now))?.failing_since

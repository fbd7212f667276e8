import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import { isOtherAlive, type LiveGateways } from '../../database/gateway-liveness.ts'

/** The number that sends the agent's turns of a call, and the contact who gets them. */
export interface Route {
  org: string
  phone_number_id: string
  contact: string
}

const insert = statement(`
  insert into sendings (call, org, phone_number_id, contact, sender) values ($1, $2, $3, $4, $5)`)

export const insertSending = (tx: Transaction, call: string, route: Route, sender: string) =>
  tx.rows(insert, call, route.org, route.phone_number_id, route.contact, sender)

const claim = statement<Route>(`
  update sendings s set sender = $2 from logs l
  where s.call = $1 and l.id = s.call and (l.runner = $2 or s.sender = $2)
  returning s.org, s.phone_number_id, s.contact`)

/** For the gateway that runs the call, or that sends what one that has ended left. */
export const claimSending = (database: Queryable, call: string, own: string) => database.row(claim, call, own)

const release = statement(`update sendings set sender = '' where call = $1 and sender = $2`)

export const releaseSending = (database: Queryable, call: string, own: string) =>
  database.rows(release, call, own)

const remove = statement(`delete from sendings where call = $1 and sender = $2`)

export const endSending = (database: Queryable, call: string, own: string) => database.rows(remove, call, own)

const takeLeft = statement<{ call: string }>(`
  with left_behind as (
    select s.call from sendings s join logs l on l.id = s.call
    where l.sealed and s.call <> all($4::text[]) and (
      s.sender = $1 or not ${isOtherAlive('s.sender')}
    )
    limit $3 for update of s skip locked
  )
  update sendings s set sender = $1 from left_behind where s.call = left_behind.call returning s.call`)

/** Of ended calls that no gateway sends for: theirs is gone, or it is this one and has no outlet open. */
export const claimLeft = async (
  database: Queryable,
  { own, since }: LiveGateways,
  sentHere: readonly string[],
  atMost: number,
) => (await database.rows(takeLeft, own, since, atMost, sentHere)).map(({ call }) => call)

/** A part of a turn. */
export interface PartKey {
  call: string
  seq: number
  part: number
}

export interface SendRow {
  seq: number
  part: number
  attempted_at: string
  is_settled: boolean
}

const list = statement<SendRow>(`
  select seq, part, attempted_at, settled_at is not null as is_settled from sends where call = $1`)

export const listSends = (database: Queryable, call: string) => database.rows(list, call)

const settled = statement<{ is_settled: boolean }>(`
  select settled_at is not null as is_settled from sends where call = $1 and seq = $2 and part = $3`)

export const isSettled = async (database: Queryable, { call, seq, part }: PartKey) =>
  (await database.row(settled, call, seq, part))?.is_settled === true

const attempt = statement<{ part: number }>(`
  insert into sends (call, seq, part, attempted_at)
  select call, $2, $3, $5 from sendings where call = $1 and sender = $4
  on conflict (call, seq, part) do update set attempted_at = excluded.attempted_at
  where sends.settled_at is null
  returning part`)

/** Written before the platform is asked; nothing if another gateway sends, or if it was sent meanwhile. */
export const beginAttempt = (database: Queryable, { call, seq, part }: PartKey, sender: string, now: Date) =>
  database.row(attempt, call, seq, part, sender, now)

const settle = statement(`
  update sends set settled_at = $4, platform_id = $5
  where call = $1 and seq = $2 and part = $3 and settled_at is null`)

export const settleSend = (
  database: Queryable,
  { call, seq, part }: PartKey,
  now: Date,
  platformId: string | null,
) => database.rows(settle, call, seq, part, now, platformId)

const receipt = statement(`
  update sends s set settled_at = $4, platform_id = $5 from calls c
  where s.call = $1 and s.seq = $2 and s.part = $3 and s.settled_at is null and c.id = s.call and c.org = $6`)

/** By what the platform says of it. */
export const settleByReceipt = (
  database: Queryable,
  { call, seq, part }: PartKey,
  now: Date,
  platformId: string,
  org: string,
) => database.rows(receipt, call, seq, part, now, platformId, org)

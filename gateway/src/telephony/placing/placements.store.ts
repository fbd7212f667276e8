import type { Environment } from '@switchroom/contract/scopes'
import type { PlacingResult } from '@switchroom/media/plane'
import { checkOf } from '../../database/due-checks.ts'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import { isOtherAlive } from '../../database/gateway-liveness.ts'

export interface NewPlacement {
  call: string
  gateway: string
  account: string
  maxDurationS: number
  askedAt: Date
}

const insert = statement(`
  insert into placements (call, gateway, account, max_duration_s, asked_at) values ($1, $2, $3, $4, $5)`)

export const insertPlacement = (tx: Transaction, placement: NewPlacement) =>
  tx.rows(
    insert,
    placement.call,
    placement.gateway,
    placement.account,
    placement.maxDurationS,
    placement.askedAt,
  )

const answer = statement<{ call: string }>(`
  update placements set answered_at = $2 where call = $1 and answered_at is null and settled_at is null
  returning call`)

/** Undefined if it was settled before. */
export const setAnswered = (tx: Transaction, call: string, now: Date) => tx.row(answer, call, now)

const settle = statement<{ call: string }>(`
  update placements set settled_at = $2 where call = $1 and settled_at is null returning call`)

/** Undefined if it was settled before. */
export const setSettled = (tx: Transaction, call: string, now: Date) => tx.row(settle, call, now)

const result = statement(`
  insert into dial_results (call, outcome, sip_status, sip_reason, why, account, failed_accounts, at)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict do nothing`)

/** How the dial went, for the ledger: the first result counts. */
export const insertResult = (
  tx: Transaction,
  call: string,
  { outcome, sip_status, sip_reason, why, account, failed_accounts = [] }: PlacingResult,
  now: Date,
) =>
  tx.rows(
    result,
    call,
    outcome,
    sip_status,
    sip_reason,
    why,
    account ?? null,
    JSON.stringify(failed_accounts),
    now,
  )

const over = statement(`
  update placements p set settled_at = $1 from calls c
  where c.id = p.call and p.settled_at is null and p.answered_at is not null
    and (c.ended_at is not null or c.beat_at is not null)`)

/** Those that were answered and are run by a worker, or are over. */
export const settleRunning = (database: Queryable, now: Date) => database.rows(over, now)

const unsettled = statement('select from placements where settled_at is null')

/** Whether any is under way. */
export const unsettledCheck = checkOf(unsettled)

const forget = statement(`delete from placements where settled_at <= $1`)

export const forgetSettled = (database: Queryable, before: Date) => database.rows(forget, before)

export interface LeftPlacement {
  call: string
  env: Environment
  isAnswered: boolean
}

const left = statement<LeftPlacement>(`
  select p.call, c.env, p.answered_at is not null as "isAnswered"
  from placements p
  join calls c on c.id = p.call
  where p.settled_at is null and case
    when p.answered_at is not null then p.answered_at <= $3
    when p.gateway = $1 then p.asked_at <= $4
    else not ${isOtherAlive('p.gateway')}
  end
  order by p.asked_at limit 100`)

/**
 * Placements without an owner: of a gateway that was not seen since, of this one from before, and those that were
 * answered so long ago and that no worker runs.
 */
export const listLeft = (
  database: Queryable,
  own: string,
  since: { seen: Date; answered: Date; asked: Date },
) => database.rows(left, own, since.seen, since.answered, since.asked)

export interface LiveCall {
  id: string
  org: string
  env: Environment
  agent: string
  holder: string
  channel: string
  direction: string
  caller: string | null
  called: string | null
  ended_at: string | null
  /** The key that runs it; null until a worker took it. */
  runner: string | null
  /** While it is dialled and not answered yet. */
  account: string | null
  max_duration_s: number | null
}

const live = statement<LiveCall>(`
  select c.id, c.org, c.env, c.agent, c.holder, c.channel, c.direction, c.caller, c.called, c.ended_at, c.runner, p.account,
    p.max_duration_s
  from calls c
  left join placements p on p.call = c.id and p.answered_at is null and p.settled_at is null
  where c.id = $1 and c.org = $2 and c.env = $3 and c.agent = $4`)

export const findLive = (
  database: Queryable,
  call: string,
  { org, env, agent }: { org: string; env: Environment; agent: string },
) => database.row(live, call, org, env, agent)

const ownPeer = statement<{ account: string; dials_at: string | null }>(`
  select a.account, a.dials_at from numbers n
  join carrier_accounts a on a.org = n.org and a.account = n.account
  where n.number in ($1, $1 || '/' || $2) and n.org = $2 and n.env = $3 and a.kind = 'sip' and a.forgotten_at is null`)

/** The SIP account that the org's own number of the call lives in; undefined if it lives in none. */
export const findOwnPeer = (
  database: Queryable,
  { org, env, direction, caller, called }: Pick<LiveCall, 'org' | 'env' | 'direction' | 'caller' | 'called'>,
) => database.row(ownPeer, direction === 'outbound' ? caller : called, org, env)

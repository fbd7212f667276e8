import type { NumberChannel, NumberOrigin } from '@switchroom/contract/numbers'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import type { Actor } from '../../foundation/caller.ts'
import type { Whose } from '../admission/number-fences.ts'

/** A number as it is to be routed. */
export interface Routing extends Whose {
  number: string
  agent: string
  channel: NumberChannel
  label: string
  managed: boolean
  origin: NumberOrigin
  via: string | null
  account: string | null
  networks: readonly string[]
  /** Whether a hooked one may ring at once. */
  isApproved: boolean
}

// What the operator approved stays approved, and what the platform bought stays bought.
const put = statement<{ number: string }>(`
  insert into numbers as n (number, org, env, agent, channel, label, managed, origin, via, account, networks,
    approved_at, asked_at, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, case when $12 then $13::timestamptz end, $13, $13)
  on conflict (number) do update set
    agent = excluded.agent, channel = excluded.channel, label = excluded.label, origin = excluded.origin,
    managed = n.managed or excluded.managed, via = excluded.via, account = excluded.account,
    fallback_accounts = case when excluded.account is null or excluded.channel <> 'phone' then '{}'
      else array_remove(n.fallback_accounts, excluded.account) end,
    networks = excluded.networks, approved_at = coalesce(n.approved_at, excluded.approved_at),
    admitted_at = null, asked_at = case when n.origin = excluded.origin then n.asked_at else excluded.asked_at end
  where n.org = excluded.org and n.env = excluded.env
  returning n.number`)

/** In place, if the org has it in this environment; undefined if it belongs to another org or environment. */
export const putNumber = (tx: Transaction, routing: Routing, now: Date) =>
  tx.row(
    put,
    routing.number,
    routing.org,
    routing.env,
    routing.agent,
    routing.channel,
    routing.label,
    routing.managed,
    routing.origin,
    routing.via,
    routing.account,
    routing.networks,
    routing.isApproved,
    now,
  )

const remove = statement<{ account: string | null }>(`
  delete from numbers where number = $1 and org = $2 and env = $3 returning account`)

export const deleteNumber = (tx: Transaction, number: string, { org, env }: Whose) =>
  tx.row(remove, number, org, env)

const move = statement(`
  update numbers set env = $3, moving_from = env, admitted_at = null where number = $1 and org = $2`)

export const beginMove = (tx: Transaction, number: string, { org, env }: Whose) =>
  tx.rows(move, number, org, env)

const finishMove = statement(`update numbers set moving_from = null where number = $1`)

export const endMove = (database: Queryable, number: string) => database.rows(finishMove, number)

/** A release at the carrier that has begun: the number's id there, and who asked for it. */
export interface Releasing {
  sid: string
  by: Actor
}

export interface ReleasedRow extends Whose {
  number: string
  agent: string
  managed: boolean
  releasing: Releasing | null
}

const released = statement<ReleasedRow>(`
  select number, org, env, agent, managed, releasing from numbers where number = $1 and org = $2 and env = $3`)

export const findReleased = (database: Queryable, number: string, { org, env }: Whose) =>
  database.row(released, number, org, env)

const setRelease = statement(`update numbers set releasing = $2 where number = $1`)

/** Before the carrier is asked; null when it refused. */
export const setReleasing = (database: Queryable, number: string, releasing: Releasing | null) =>
  database.rows(setRelease, number, releasing && JSON.stringify(releasing))

const begun = statement<ReleasedRow>(`
  select number, org, env, agent, managed, releasing from numbers where releasing is not null order by number`)

/** Those under way, and those that broke off. */
export const listReleasing = (database: Queryable) => database.rows(begun)

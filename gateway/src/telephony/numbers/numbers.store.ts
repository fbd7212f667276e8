import type { NumberChannel, NumberOrigin } from '@switchroom/contract/numbers'
import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import type { NetworkState, Placed, Whose } from '../admission/number-fences.ts'
import type { NumberStatus } from './path.ts'

export interface NumberRow {
  number: string
  org: string
  env: Environment
  agent: string
  channel: NumberChannel
  label: string | null
  managed: boolean
  origin: NumberOrigin
  via: string | null
  account: string | null
  networks: string[]
  approved_at: string | null
  /** The environment it comes from, where a move of it has not ended. */
  moving_from: Environment | null
  /** Hooked, and nobody has let it ring yet. */
  awaits_approval: boolean
}

const awaits = `n.origin = 'hooked' and n.approved_at is null as awaits_approval`
const columns = `n.number, n.org, n.env, n.agent, n.channel, n.label, n.managed, n.origin, n.via, n.account,
  n.networks, n.approved_at, n.moving_from, ${awaits}`

const find = statement<NumberRow>(`select ${columns} from numbers n where n.number = $1`)

export const findNumber = (database: Queryable, number: string) => database.row(find, number)

const reach = statement(`
  update numbers set last_call_at = $2 where number = $1 and (last_call_at is null or last_call_at <= $3)`)

export const setLastCall = (database: Queryable, number: string, now: Date, unlessSince: Date) =>
  database.rows(reach, number, now, unlessSince)

/** Which gateways count: the one that asks, and those that were seen lately. */
export interface Alive {
  own: string
  since: Date
}

export interface StandingRow extends NumberStatus {
  org: string
  label: string | null
  managed: boolean
  /** Of its networks, what the operator said. */
  states: Record<string, NetworkState>
}

const itsNetworks = `case when a.kind = 'sip' then a.networks else n.networks end`
const itsAccount = `left join carrier_accounts a on a.org = n.org and a.account = n.account`

// Everything that says how numbers stand, at one instant: no carrier and no media server is asked.
const standings = statement<StandingRow>(`
  select n.number, n.org, n.env, n.agent, n.channel, n.label, n.managed, n.origin, n.via, n.account,
    a.kind as account_kind, ${itsNetworks} as networks, ${awaits},
    floor(extract(epoch from n.last_call_at))::bigint as last_call_at, n.admitted_at is not null as is_admitted,
    coalesce((
      select json_object_agg(w.network, w.state) from networks w
      where w.org = n.org and w.network = any(${itsNetworks})), '{}') as states,
    exists (
      select from registrations r
      join app_sockets s on s.id = r.socket
      join gateways g on g.id = s.gateway and (g.id = $4 or g.seen_at > $5)
      where r.org = n.org and r.env = n.env and r.agent = n.agent and r.holder = '') as is_held
  from numbers n ${itsAccount}
  where n.org = $1 and n.env = $2 and ($3::text is null or n.number = $3)
  order by n.ordinal`)

/** Oldest first: all of them, or the one. */
export const listStandings = (
  database: Queryable,
  { org, env }: Whose,
  { own, since }: Alive,
  number: string | null,
) => database.rows(standings, org, env, number, own, since)

const placed = statement<Placed>(`
  select n.number, n.origin, n.via, n.account, a.kind as account_kind, ${itsNetworks} as networks, ${awaits}
  from numbers n ${itsAccount}
  where n.org = $1 and n.env = $2 and n.channel = 'phone'
  order by n.ordinal`)

/** The phone numbers of an org in an environment, as its fences are drawn from them. */
export const listPlaced = (database: Queryable, { org, env }: Whose) => database.rows(placed, org, env)

const orgs = statement<{ org: string }>(`
  select distinct org from numbers where channel = 'phone' union select org from admissions_due order by org`)

/** Those that have phone numbers, or of which the media plane has still to be told. */
export const listOrgs = async (database: Queryable) => (await database.rows(orgs)).map(({ org }) => org)

const imported = statement<{ number: string }>(`
  select number from numbers where org = $1 and env = $2 and number = any($3)`)

/** Which of these the org has in the environment. */
export const listImported = async (database: Queryable, { org, env }: Whose, numbers: readonly string[]) =>
  new Set((await database.rows(imported, org, env, numbers)).map(({ number }) => number))

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
    networks = excluded.networks, approved_at = coalesce(n.approved_at, excluded.approved_at),
    admitted_at = null, asked_at = case when n.origin = excluded.origin then n.asked_at else excluded.asked_at end
  where n.org = excluded.org and n.env = excluded.env
  returning n.number`)

/** In place, where the org has it in this environment; undefined where somebody else has it, or it is elsewhere. */
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

const endMoving = statement(`update numbers set moving_from = null where number = $1`)

export const endMove = (database: Queryable, number: string) => database.rows(endMoving, number)

const waitingOnes = statement<{
  org: string
  number: string
  agent: string
  env: Environment
  via: string | null
  asked_at: number
}>(`
  select n.org, n.number, n.agent, n.env, n.via,
    floor(extract(epoch from coalesce(n.asked_at, n.created_at)))::bigint as asked_at
  from numbers n where n.origin = 'hooked' and n.approved_at is null
  order by coalesce(n.asked_at, n.created_at), n.ordinal`)

/** Hooked numbers that nobody has let ring, oldest first. */
export const listAwaiting = (database: Queryable) => database.rows(waitingOnes)

export interface Approved {
  org: string
  number: string
  env: Environment
  approved_at: number
}

const approve = statement<Approved>(`
  update numbers set approved_at = coalesce(approved_at, $2) where number = $1 and origin = 'hooked'
  returning org, number, env, floor(extract(epoch from approved_at))::bigint as approved_at`)

export const setApproved = (tx: Transaction, number: string, now: Date) => tx.row(approve, number, now)

const approveAll = statement(`
  update numbers set approved_at = $1 where origin = 'hooked' and approved_at is null`)

export const approveEvery = (database: Queryable, now: Date) => database.rows(approveAll, now)

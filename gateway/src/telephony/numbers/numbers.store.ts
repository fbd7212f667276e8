import type { NumberChannel, NumberOrigin } from '@switchroom/contract/numbers'
import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable } from '../../database/database.ts'
import { liveRegistrations, type LiveGateways } from '../../database/gateway-liveness.ts'
import type { NetworkState, Whose } from '../admission/number-fences.ts'
import { accountJoin, networksColumn, placedColumns } from '../admission/placed-columns.ts'
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
  /** The environment it comes from, while a move of it has not ended. */
  moving_from: Environment | null
  /** Hooked, and the operator has not approved it yet. */
  awaits_approval: boolean
}

const find = statement<NumberRow>(`
  select n.number, n.org, n.env, n.agent, n.channel, n.label, n.managed, n.origin, n.via, n.account, n.networks,
    n.approved_at, n.moving_from, n.origin = 'hooked' and n.approved_at is null as awaits_approval
  from numbers n where n.number = $1`)

export const findNumber = (database: Queryable, number: string) => database.row(find, number)

const reach = statement(`
  update numbers set last_call_at = $2 where number = $1 and (last_call_at is null or last_call_at <= $3)`)

export const setLastCall = (database: Queryable, number: string, now: Date, unlessSince: Date) =>
  database.rows(reach, number, now, unlessSince)

export interface StatusRow extends NumberStatus {
  org: string
  label: string | null
  managed: boolean
  fallback_accounts: string[]
  /** By network, the operator's decision. */
  states: Record<string, NetworkState>
}

// One statement, and so one snapshot: no carrier and no media server is asked.
const statuses = statement<StatusRow>(`
  select ${placedColumns}, n.org, n.env, n.agent, n.channel, n.label, n.managed, n.fallback_accounts,
    floor(extract(epoch from n.last_call_at))::bigint as last_call_at, n.admitted_at is not null as is_admitted,
    coalesce((
      select json_object_agg(w.network, w.state) from networks w
      where w.org = n.org and w.network = any(${networksColumn})), '{}') as states,
    exists (
      select from ${liveRegistrations('$4', '$5')}
      where r.org = n.org and r.env = n.env and r.agent = n.agent and r.holder = '') as is_held
  from numbers n ${accountJoin}
  where n.org = $1 and n.env = $2 and ($3::text is null or n.number = $3)
  order by n.ordinal`)

/** Oldest first: all of them, or the one. */
export const listStatuses = (
  database: Queryable,
  { org, env }: Whose,
  { own, since }: LiveGateways,
  number: string | null,
) => database.rows(statuses, org, env, number, own, since)

const imported = statement<{ number: string }>(`
  select number from numbers where org = $1 and env = $2 and number = any($3)`)

/** Which of these the org has in the environment. */
export const listImported = async (database: Queryable, { org, env }: Whose, numbers: readonly string[]) =>
  new Set((await database.rows(imported, org, env, numbers)).map(({ number }) => number))

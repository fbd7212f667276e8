import type { AppEntry } from '@switchroom/contract/apps'
import { usualCaps } from '@switchroom/contract/orgs'
import type { Environment } from '@switchroom/contract/scopes'
import type { DeclarableName } from '@switchroom/contract/knobs'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import { joinLiveGateway, liveRegistrations, type LiveGateways } from '../../database/gateway-liveness.ts'
import type { SettingsScope } from '../scope.ts'
import type { Declaration } from '../stages/declaration.ts'
import type { Offer, Registration, Sharing } from './register-frame.ts'

/** An app's socket on this gateway. */
export interface SocketRow {
  id: string
  gateway: string
  org: string
  env: Environment
  holder: string
  key_id: string
}

const openOne = statement<{ most: number | null }>(`
  select open_app_socket($1, $2, $3, $4, $5, $6, $7, $8, $9) as most`)

/** Lists the socket, or answers how many the org may have open if it has as many. */
export const openSocket = async (
  database: Queryable,
  { id, gateway, org, env, holder, key_id }: SocketRow,
  aliveSince: Date,
  now: Date,
) =>
  (await database.row(openOne, org, usualCaps.app_sockets, aliveSince, id, gateway, env, holder, key_id, now))
    ?.most ?? null

const deleteSome = statement(`delete from app_sockets where id = any($1)`)

export const deleteSockets = (database: Queryable, ids: readonly string[]) => database.rows(deleteSome, ids)

export interface RegistrationRow {
  agent: string
  declaration: Declaration
  fixed: DeclarableName[]
  offer: Offer
  sharing: Sharing
}

const insertNewest = statement(`
  insert into registrations (socket, org, env, holder, agent, app, declaration, fixed, offer, exclusive, balance)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
  on conflict (socket, agent) do update
  set app = excluded.app, declaration = excluded.declaration, fixed = excluded.fixed, offer = excluded.offer,
    exclusive = excluded.exclusive, balance = excluded.balance, ordinal = default`)

/** The newest registration of its agent, also if the same socket had registered it before. */
export const insertRegistration = (
  tx: Transaction,
  { id, org, env, holder }: SocketRow,
  { agent, declaration: { app, ...declared }, fixed, offer, sharing }: RegistrationRow,
) =>
  tx.rows(
    insertNewest,
    id,
    org,
    env,
    holder,
    agent,
    app,
    JSON.stringify(declared),
    fixed,
    JSON.stringify(offer),
    sharing.exclusive,
    sharing.balance,
  )

const deleteOne = statement(`delete from registrations where socket = $1 and agent = $2`)

export const deleteRegistration = (database: Queryable, socket: string, agent: string) =>
  database.rows(deleteOne, socket, agent)

const live = liveRegistrations()
// A copy of one's own comes before the org's, then the newest before the others.
const nearest = `r.holder = '', r.ordinal desc`

/** A registration of the same agent by another process. */
export interface OtherHolding extends Sharing {
  app: string
}

const others = statement<OtherHolding>(`
  select r.app, r.exclusive, r.balance from ${live}
  where r.org = $3 and r.env = $4 and r.agent = $5 and r.holder = $6 and r.socket <> $7
    and coalesce(r.offer ->> 'instance', r.socket) <> $8
  order by r.ordinal desc`)

export const listOthers = (
  tx: Transaction,
  { own, since }: LiveGateways,
  { id, org, env, holder }: SocketRow,
  { agent, offer }: Pick<Registration, 'agent' | 'offer'>,
) => tx.rows(others, own, since, org, env, agent, holder, id, offer.instance ?? id)

/** A process that holds an agent, and where it is reached. */
export interface HolderRow {
  holder: string
  app: string
  instance: string
  balance: boolean
  socket: string
  gateway: string
  /** Whether it asked to be told of the others. */
  isTold: boolean
}

const holders = statement<HolderRow>(`
  select r.holder, r.app, coalesce(r.offer ->> 'instance', r.socket) as instance, r.balance, r.socket, s.gateway,
    coalesce((r.offer ->> 'holders')::boolean, false) as "isTold"
  from ${live}
  where r.org = $3 and r.env = $4 and r.agent = $5
  order by r.ordinal desc`)

/** Everybody who holds the agent, the newest first. */
export const listHolders = (
  database: Queryable,
  { own, since }: LiveGateways,
  { org, env, agent }: Omit<SettingsScope, 'holder'>,
) => database.rows(holders, own, since, org, env, agent)

const declared = statement<{ app: string; declaration: Omit<Declaration, 'app'> }>(`
  select r.app, r.declaration from ${live}
  where r.org = $3 and r.env = $4 and r.agent = $5 and r.holder in ($6, '')
  order by ${nearest} limit 1`)

export const findDeclaration = async (
  database: Queryable,
  { own, since }: LiveGateways,
  { org, env, agent, holder }: SettingsScope,
): Promise<Declaration | null> => {
  const row = await database.row(declared, own, since, org, env, agent, holder)
  return row ? { app: row.app, ...row.declaration } : null
}

/** Where the app that holds an agent is reached, and what it brings to a call. */
export interface HoldingApp {
  app: string
  socket: string
  gateway: string
  offer: Offer
}

const holding = statement<HoldingApp>(`
  select r.app, r.socket, s.gateway, r.offer from ${live}
  where r.org = $3 and r.env = $4 and r.agent = $5 and r.holder in ($6, '')
  order by ${nearest} limit 1`)

export const findHolding = (
  database: Queryable,
  { own, since }: LiveGateways,
  { org, env, agent, holder }: SettingsScope,
) => database.row(holding, own, since, org, env, agent, holder)

export interface HeldRow {
  agent: string
  app: string
  holder: string
  fixed: DeclarableName[]
}

const held = statement<HeldRow>(`
  select distinct on (r.agent) r.agent, r.app, r.holder, r.fixed from ${live}
  where r.org = $3 and r.env = $4 and r.holder in ($5, '')
  order by r.agent, ${nearest}`)

/** Every agent that is held for this holder, with the app that holds it. */
export const listHeld = (
  database: Queryable,
  { own, since }: LiveGateways,
  { org, env, holder }: Omit<SettingsScope, 'agent'>,
) => database.rows(held, own, since, org, env, holder)

const apps = statement<AppEntry>(`
  select s.id, s.env, s.holder, k.label as key, floor(extract(epoch from s.connected_at))::bigint as connected_at,
    coalesce((select r.app from registrations r where r.socket = s.id order by r.ordinal desc limit 1), k.label) as app,
    array(select r.agent from registrations r where r.socket = s.id order by r.agent) as agents
  from app_sockets s
  ${joinLiveGateway('s.gateway')}
  join keys k on k.id = s.key_id
  where s.org = $3 and s.env = $4
  order by s.ordinal`)

export const listApps = (database: Queryable, { own, since }: LiveGateways, org: string, env: Environment) =>
  database.rows(apps, own, since, org, env)

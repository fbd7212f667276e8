import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import { gatewayLock } from '../../database/gateway-lock.ts'

const insert = statement(`
  insert into gateways (id, seen_at, vault_key, reads_heartbeats) values ($1, $2, $3, true)
  on conflict (id) do update set seen_at = excluded.seen_at`)

export const insertGateway = (database: Queryable, id: string, now: Date, vaultKey: string) =>
  database.rows(insert, id, now, vaultKey)

const seen = statement<{ id: string }>(`update gateways set seen_at = $2 where id = $1 returning id`)

/** Undefined for a gateway that was forgotten, with everything it held. */
export const seeGateway = (database: Queryable, id: string, now: Date) => database.row(seen, id, now)

const dead = statement<{ isDead: boolean }>(`
  select not exists (select from gateways where id = $1 and seen_at > $2)
    and not gateway_has_lock($1) as "isDead"`)

/** Whether it has neither its lock nor a heartbeat after `since`. */
export const isDead = async (database: Queryable, id: string, since: Date) =>
  (await database.row(dead, id, since))?.isDead === true

const remove = statement(`delete from gateways where id = $1`)

export const deleteGateway = (database: Queryable, id: string) => database.rows(remove, id)

/** An agent that an app of a gateway held. */
export interface LostHolding {
  org: string
  env: Environment
  agent: string
  app: string
}

// What hangs on a gateway goes with it, and is still seen by the statement that deletes it.
const holdingsOfDead = `
  select r.org, r.env, r.agent, r.app
  from dead
  join app_sockets s on s.gateway = dead.id
  join registrations r on r.socket = s.id
  order by r.ordinal`

const forgetOld = statement<LostHolding>(`
  with dead as (
    delete from gateways where seen_at < $2 and id <> $1 and pg_try_advisory_xact_lock(${gatewayLock('id')})
    returning id
  ) ${holdingsOfDead}`)

export const forgetOthers = (database: Queryable, own: string, before: Date) =>
  database.rows(forgetOld, own, before)

const forgetNamed = statement<LostHolding>(`
  with dead as (delete from gateways where id = any($1) returning id) ${holdingsOfDead}`)

export const forgetGateways = (tx: Transaction, ids: readonly string[]) => tx.rows(forgetNamed, ids)

const sealing = statement<{ count: number }>(`
  select count(*)::int as count from gateways where vault_key is distinct from $1`)

export const countSealingOtherwise = async (database: Queryable, vaultKey: string) =>
  (await database.row(sealing, vaultKey))?.count ?? 0

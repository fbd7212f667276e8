import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Transaction } from '../../database/database.ts'
import { allowErasing } from './erasure.store.ts'

/** Whom a deleted call was with. */
export interface DeletedCall {
  id: string
  org: string
  env: Environment
  agent: string
  contact: string | null
  /** The org's own number, if it was reached by one. */
  number: string | null
}

// Only calls whose logs are deleted: their index is small, and holds no call that runs.
const deleteOld = statement<DeletedCall>(`
  with old as materialized (
    select logs.id from calls join logs on logs.id = calls.id
    where calls.forgotten and calls.ended_at < $1
    order by calls.ended_at limit $2
    for update of logs skip locked
  ), late as (
    delete from entries using old where entries.log = old.id
  ), logged as (
    delete from logs using old where logs.id = old.id
  )
  delete from calls using old where calls.id = old.id
  returning calls.id, org, env, agent, contact, case direction when 'inbound' then called else caller end as number`)

/** Deletes some calls that ended before then, with everything that belongs to them alone. */
export async function deleteSome(tx: Transaction, before: Date, limit: number) {
  await allowErasing(tx)
  return tx.rows(deleteOld, before, limit)
}

import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'

const waiting = statement<{
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

/** Oldest first. */
export const listWaiting = (database: Queryable) => database.rows(waiting)

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

const approveEvery = statement(`
  update numbers set approved_at = $1 where origin = 'hooked' and approved_at is null`)

export const approveAll = (database: Queryable, now: Date) => database.rows(approveEvery, now)

import type { Environment } from '@switchroom/contract/scopes'
import { checkOf, type Check } from '../../database/due-checks.ts'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'

export interface NewBrowserCall {
  call: string
  org: string
  env: Environment
  /** Null if a media server lets the browser in. */
  digest: Buffer | null
  expiresAt: Date
}

const insert = statement(`
  insert into browser_calls (call, org, env, digest, expires_at) values ($1, $2, $3, $4, $5)`)

export const insertBrowserCall = (tx: Transaction, { call, org, env, digest, expiresAt }: NewBrowserCall) =>
  tx.rows(insert, call, org, env, digest, expiresAt)

const isUnused = `c.ended_at is null and c.beat_at is null and greatest(b.expires_at, b.offered_at) <= $1`

const unused = statement<{ call: string }>(`
  select b.call from browser_calls b join calls c on c.id = b.call where ${isUnused} order by b.expires_at limit 100`)

/** Calls that no browser has come to since then, or that no worker has answered. */
export const listUnused = (database: Queryable, since: Date) => database.rows(unused, since)

export const unusedCheck = (since: Date): Check => checkOf(unused, since)

const one = statement<{ call: string }>(`
  select b.call from browser_calls b join calls c on c.id = b.call where ${isUnused} and b.call = $2`)

export const findUnused = (tx: Transaction, since: Date, call: string) => tx.row(one, since, call)

const forget = statement(`
  delete from browser_calls b using calls c
  where c.id = b.call and b.expires_at < $1
    and (c.ended_at is not null or (c.beat_at is not null and b.digest is null))`)

export const forgetUsed = (database: Queryable, before: Date) => database.rows(forget, before)

import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable, type Transaction } from '../database/database.ts'

const insert = statement(`insert into log_tokens (digest, call, expires_at) values ($1, $2, $3)`)

export const insertToken = (tx: Transaction, digest: Buffer, call: string, expiresAt: Date | null) =>
  tx.rows(insert, digest, call, expiresAt)

/** The call whose log a token opens. */
export interface OpenedCall {
  digest: Buffer
  call: string
  org: string
  slug: string
  env: Environment
}

const lives = `case when t.expires_at is null then c.ended_at is null or c.ended_at > $3 else t.expires_at > $2 end`

const living = statement<OpenedCall>(`
  select t.digest, t.call, c.org, o.slug, c.env
  from log_tokens t join calls c on c.id = t.call join orgs o on o.id = c.org
  where t.digest = any($1::bytea[]) and ${lives}`)

/** Of these the ones that open something now: until their own end, or for as long after the call's. */
export const findLiving = (database: Queryable, digests: readonly Buffer[], now: Date, endedSince: Date) =>
  database.rows(living, digests, now, endedSince)

const forget = statement(`delete from log_tokens where expires_at <= $1`)

export const deleteExpired = (database: Queryable, now: Date) => database.rows(forget, now)

// Call by call: joined, PostgreSQL would read all calls that ever ended.
const forgetEnded = statement(`
  delete from log_tokens t
  where t.expires_at is null and (select c.ended_at from calls c where c.id = t.call) <= $1`)

/** Those that live as long as their call and a little longer. */
export const deleteEnded = (database: Queryable, endedBefore: Date) => database.rows(forgetEnded, endedBefore)

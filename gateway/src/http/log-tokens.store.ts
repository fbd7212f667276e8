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

const forget = statement(`
  delete from log_tokens t using calls c where c.id = t.call and not (${lives.replaceAll('$3', '$1')})`)

export const deleteExpired = (database: Queryable, now: Date, endedSince: Date) =>
  database.rows(forget, endedSince, now)

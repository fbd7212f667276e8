import type { Environment, Scope } from '@switchroom/contract/scopes'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'

export interface NewKey {
  id: string
  org: string
  digest: Buffer
  kind: 'person' | 'server'
  label: string
  env: Environment
  member: string | null
  name: string | null
  scopes: readonly Scope[] | null
  created_by: string
  created_at: Date
  expires_at: Date | null
}

const insert = statement(`
  insert into keys (id, org, digest, kind, label, env, member, name, scopes, created_by, created_at, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`)

export const insertKey = (database: Queryable, key: NewKey) =>
  database.rows(
    insert,
    key.id,
    key.org,
    key.digest,
    key.kind,
    key.label,
    key.env,
    key.member,
    key.name,
    key.scopes,
    key.created_by,
    key.created_at,
    key.expires_at,
  )

const revokeMembers = statement(`
  with dead as (select id from keys where member = $1)
  update keys set revoked_at = $2
  where revoked_at is null and (id in (select id from dead) or ancestors && array(select id from dead))`)

/** Every key of the member and every copy below one, in whatever org. */
export const revokeKeysOfMember = (tx: Transaction, member: string, at: Date) =>
  tx.rows(revokeMembers, member, at)

import type { Environment, Role, Scope } from '@switchroom/contract/scopes'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'

export interface NewKey {
  id: string
  org: string
  /** Null for a key whose secret is generated later. */
  digest: Buffer | null
  kind: 'person' | 'server'
  label: string
  env: Environment
  member: string | null
  visitor: string | null
  name: string | null
  scopes: readonly Scope[] | null
  created_by: string
  ancestors: readonly string[]
  created_at: Date
  expires_at: Date | string | null
  /** Of a server token: its maker's rights at the time. */
  maker_held_providers?: boolean
  maker_held_production?: boolean
}

const insert = statement(`
  insert into keys (id, org, digest, kind, label, env, member, visitor, name, scopes, created_by, ancestors,
    created_at, expires_at, maker_held_providers, maker_held_production)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`)

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
    key.visitor,
    key.name,
    key.scopes,
    key.created_by,
    key.ancestors,
    key.created_at,
    key.expires_at,
    key.maker_held_providers ?? false,
    key.maker_held_production ?? false,
  )

const setDigest = statement(`update keys set digest = $2 where id = $1`)

export const drawSecret = (tx: Transaction, id: string, digest: Buffer) => tx.rows(setDigest, id, digest)

const lockKeyRow = statement(`select from keys where id = $1 for update`)

/** Locked, so that a source cannot be revoked while it is copied. */
export const lockKey = (tx: Transaction, id: string) => tx.rows(lockKeyRow, id)

/** A valid key, with the fields that a copy inherits. */
export interface LiveKey {
  id: string
  org: string
  slug: string
  kind: 'person' | 'server'
  label: string
  env: Environment
  member: string | null
  visitor: string | null
  name: string | null
  scopes: Scope[] | null
  created_by: string
  ancestors: string[]
  expires_at: string | null
  maker_held_providers: boolean
  maker_held_production: boolean
  role: Role | null
}

const live = statement<LiveKey>(`
  select k.id, k.org, o.slug, k.kind, k.label, k.env, k.member, k.visitor, coalesce(m.name, k.name) as name, k.scopes,
    k.created_by, k.ancestors, k.expires_at, k.maker_held_providers, k.maker_held_production, m.role
  from keys k join orgs o on o.id = k.org left join members m on m.id = k.member
  where k.id = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > $2)
    and not exists (
      select from keys a
      where a.id = any(k.ancestors) and (a.revoked_at is not null or a.expires_at <= $2)
    )
    and (k.kind = 'server' or m.status = 'active' or exists (
      select from members f join persons p on p.email = f.email
      where f.email = k.visitor and f.operator and f.status = 'active' and p.verified
    ))`)

export const findLiveKey = (database: Queryable, id: string, now: Date) => database.row(live, id, now)

export interface ActiveMember {
  id: string
  org: string
  name: string
  role: Role
}

const active = statement<ActiveMember>(`
  select id, org, name, role from members where id = $1 and status = 'active' for update`)

/** Locked, so that no key is made while its member is being disabled. */
export const lockActiveMember = (tx: Transaction, id: string) => tx.row(active, id)

import type { Environment, Role, Scope } from '@switchroom/contract/scopes'
import type { MemberStatus } from '@switchroom/contract/members'
import { opaque, statement, type Queryable } from '../database/database.ts'

export interface PresentedKey {
  id: string
  org: string
  slug: string
  kind: 'person' | 'server'
  label: string
  env: Environment
  scopes: Scope[] | null
  visitor: string | null
  visitor_name: string | null
  is_revoked: boolean
  /** Only when that time has come. */
  expired_at: string | null
  /** A minute has passed since a use of it was written down. */
  is_use_due: boolean
  member: string | null
  name: string | null
  email: string | null
  role: Role | null
  agents: string[] | null
  production: boolean | null
  status: MemberStatus | null
  operator: boolean
  maker_held_providers: boolean
  maker_held_production: boolean
  /** Of the person who made a server token, as long as they are active. */
  maker_role: Role | null
  maker_production: boolean | null
  is_maker_operator: boolean
}

const columns = `
  k.id, k.org, o.slug, k.kind, k.label, k.env, k.scopes, k.visitor, k.name as visitor_name,
    k.revoked_at is not null or exists (
      select from keys a
      where a.id = any(k.ancestors) and (a.revoked_at is not null or a.expires_at <= $2)
    ) as is_revoked,
    case when k.expires_at <= $2 then k.expires_at end as expired_at,
    k.last_used_at is null or k.last_used_at <= $2::timestamptz - interval '1 minute' as is_use_due,
    m.id as member, m.name, m.email, m.role, m.agents, m.production, m.status,
    exists (
      select from members f join persons p on p.email = f.email
      where f.email = coalesce(m.email, k.visitor) and f.operator and f.status = 'active' and p.verified
    ) as operator,
    k.maker_held_providers, k.maker_held_production, c.role as maker_role, c.production as maker_production,
    k.kind = 'server' and (k.created_by = 'operator' or k.created_by like 'operator:%' and exists (
      select from members f join persons p on p.email = f.email
      where f.email = substr(k.created_by, 10) and f.operator and f.status = 'active' and p.verified
    )) as is_maker_operator`

const keysWithTheirPeople = `
  from keys k
  join orgs o on o.id = k.org
  left join members m on m.id = k.member
  left join members c on k.kind = 'server' and c.id = k.created_by and c.status = 'active'`

/**
 * The one statement of an authenticated request: the key, its org, its member row, and whether any key above it
 * in the tree of copies is dead.
 */
export const presentedKey = statement<PresentedKey>(`select ${columns} ${keysWithTheirPeople}
  where k.digest = $1`)

export const findPresentedKey = (database: Queryable, digest: Buffer, now: Date) =>
  database.row(presentedKey, digest, now)

const presentedKeys = statement<PresentedKey & { digest: string }>(`
  select encode(k.digest, 'hex') as digest, ${columns} ${keysWithTheirPeople}
  where k.digest = any(${opaque('$1::bytea[]')})`)

/** Of these the ones that there are, each with its digest in hexadecimal. */
export const findPresentedKeys = (database: Queryable, digests: readonly Buffer[], now: Date) =>
  database.rows(presentedKeys, digests, now)

const keysById = statement<PresentedKey>(`select ${columns} ${keysWithTheirPeople}
  where k.id = any($1)`)

/** The keys that something was opened with, as they are now. */
export const findKeys = (database: Queryable, ids: readonly string[], now: Date) =>
  database.rows(keysById, ids, now)

const recordUse = statement(`
  update keys set last_used_at = $2
  where id = $1 and (last_used_at is null or last_used_at < $2)`)

export const keyUsed = (database: Queryable, id: string, at: Date) => database.rows(recordUse, id, at)

import type { Environment, Role, Scope } from '@switchroom/contract/scopes'
import type { MemberStatus } from '@switchroom/contract/members'
import { statement, type Queryable } from '../database/database.ts'

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
  last_used_at: string | null
  revoked_at: string | null
  expires_at: string | null
  is_ancestor_dead: boolean
  member: string | null
  name: string | null
  email: string | null
  role: Role | null
  agents: string[] | null
  production: boolean | null
  status: MemberStatus | null
  operator: boolean
}

/** The one statement of an authenticated request: the key, its org, its member row, and what is above it. */
export const presentedKey = statement<PresentedKey>(`
  select k.id, k.org, o.slug, k.kind, k.label, k.env, k.scopes, k.visitor, k.name as visitor_name,
    k.last_used_at, k.revoked_at, k.expires_at,
    exists (
      select from keys a
      where a.id = any(k.ancestors) and (a.revoked_at is not null or a.expires_at <= $2)
    ) as is_ancestor_dead,
    m.id as member, m.name, m.email, m.role, m.agents, m.production, m.status,
    exists (
      select from members f
      where f.email = coalesce(m.email, k.visitor) and f.operator and f.status = 'active'
    ) as operator
  from keys k
  join orgs o on o.id = k.org
  left join members m on m.id = k.member
  where k.digest = $1`)

export const findPresentedKey = (database: Queryable, digest: Buffer, now: Date) =>
  database.row(presentedKey, digest, now)

const recordUse = statement(`
  update keys set last_used_at = $2
  where id = $1 and (last_used_at is null or last_used_at < $2)`)

export const keyUsed = (database: Queryable, id: string, at: Date) => database.rows(recordUse, id, at)

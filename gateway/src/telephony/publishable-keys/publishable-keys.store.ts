import type { PublishableKey } from '@switchroom/contract/publishable-keys'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'

const fields = `id, key, label, agent, env, origins, visitor_per_hour, per_minute, created_by, created_at, revoked_at`

export type NewPublishableKey = Omit<PublishableKey, 'created_at' | 'revoked_at'> & {
  org: string
  created_at: Date
}

const insert = statement(`
  insert into publishable_keys
    (id, org, env, agent, label, key, origins, visitor_per_hour, per_minute, created_by, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`)

export const insertKey = (tx: Transaction, made: NewPublishableKey) =>
  tx.rows(
    insert,
    made.id,
    made.org,
    made.env,
    made.agent,
    made.label,
    made.key,
    made.origins,
    made.visitor_per_hour,
    made.per_minute,
    made.created_by,
    made.created_at,
  )

const count = statement<{ living: number }>(`
  select count(*)::int as living from publishable_keys where org = $1 and revoked_at is null`)

export const countLiving = async (tx: Transaction, org: string) => (await tx.row(count, org))?.living ?? 0

const list = statement<PublishableKey>(`
  select ${fields} from publishable_keys
  where org = $1 and (cardinality($2::text[]) = 0 or agent = any($2)) order by created_at, id`)

/** Of these agents; of every agent if none is named. */
export const listKeys = (database: Queryable, org: string, agents: readonly string[]) =>
  database.rows(list, org, agents)

const revoke = statement<PublishableKey>(`
  update publishable_keys set revoked_at = $4
  where org = $1 and id = $2 and revoked_at is null and (cardinality($3::text[]) = 0 or agent = any($3))
  returning ${fields}`)

export const revokeKey = (tx: Transaction, org: string, id: string, agents: readonly string[], at: Date) =>
  tx.row(revoke, org, id, agents, at)

export interface PresentedPublishableKey extends PublishableKey {
  org: string
  slug: string
}

const find = statement<PresentedPublishableKey>(`
  select ${fields
    .split(', ')
    .map((field) => `k.${field}`)
    .join(', ')}, k.org, o.slug
  from publishable_keys k join orgs o on o.id = k.org where k.key = $1`)

export const findKey = (database: Queryable, key: string) => database.row(find, key)

import type { AuditEntry } from '@switchroom/contract/audit'
import { statement, type Queryable, type Transaction } from '../database/database.ts'

export interface NewEntry {
  id: string
  org: string | null
  env: string | null
  action: string
  actor: AuditEntry['actor']
  target: AuditEntry['target']
  detail: object
  from: string | null
}

const insert = statement(`
  insert into audit (id, org, env, action, actor_kind, actor_key, actor_subject, actor_name, actor_email, visiting,
    target_kind, target_id, target_label, detail, client_address)
  values ($1, $2, $3, $4, $5, $6, $7, $8, coalesce($9, (select email from members where id = $7)), $10, $11, $12, $13,
    $14::jsonb, $15)`)

export const insertEntry = (tx: Transaction, { actor, target, ...entry }: NewEntry) =>
  tx.rows(
    insert,
    entry.id,
    entry.org,
    entry.env,
    entry.action,
    actor.kind,
    actor.key_id,
    actor.subject,
    actor.name,
    actor.email,
    actor.visiting,
    target.kind,
    target.id,
    target.label,
    JSON.stringify(entry.detail),
    entry.from,
  )

export interface ListedEntry extends AuditEntry {
  ordinal: number
}

/** Which entries are wanted: a null asks for all, and the times and the place are always given. */
export interface Wanted {
  action: string | null
  actor: string | null
  target: string | null
  since: string
  until: string
  before: readonly [at: string, ordinal: number | string]
  limit: number
}

const columns = `
  id, at, org, (select slug from orgs where orgs.id = audit.org) as slug, env, action,
  json_build_object('kind', actor_kind, 'key_id', actor_key, 'subject', actor_subject, 'name', actor_name,
    'email', actor_email, 'visiting', visiting) as actor,
  json_build_object('kind', target_kind, 'id', target_id, 'label', target_label) as target,
  detail, client_address as "from", ordinal`

const matching = `
  ($1::text is null or action = $1)
  and ($2::text is null or $2 in (actor_subject, lower(actor_email), actor_key))
  and ($3::text is null or $3 in (target_id, target_label))
  and at >= $4::timestamptz and at < $5::timestamptz
  and (at, ordinal) < ($6::timestamptz, $7::bigint)
  order by at desc, ordinal desc limit $8`

const ofOrg = statement<ListedEntry>(`select ${columns} from audit where org = $9 and ${matching}`)
const ofAll = statement<ListedEntry>(`select ${columns} from audit where ${matching}`)

const valuesOf = ({ action, actor, target, since, until, before, limit }: Wanted) =>
  [action, actor, target, since, until, ...before, limit] as const

export const listOfOrg = (database: Queryable, org: string, wanted: Wanted) =>
  database.rows(ofOrg, ...valuesOf(wanted), org)

export const listAll = (database: Queryable, wanted: Wanted) => database.rows(ofAll, ...valuesOf(wanted))

const orgNamed = statement<{ id: string }>('select id from orgs where id = $1 or slug = $1')

export const findOrg = (database: Queryable, idOrSlug: string) => database.row(orgNamed, idOrSlug)

const allowRetention = statement(`select set_config('switchroom.audit_retention', 'on', true)`)
const deleteOld = statement<{ gone: number }>(`
  with old as (
    select ordinal from audit where at < $1 order by at limit $2 for update skip locked
  ), gone as (
    delete from audit using old where audit.ordinal = old.ordinal returning 1
  )
  select count(*) as gone from gone`)

/** Deletes some of the entries from before then. */
export async function deleteSome(tx: Transaction, before: Date, limit: number): Promise<number> {
  await tx.rows(allowRetention)
  return (await tx.row(deleteOld, before, limit))?.gone ?? 0
}

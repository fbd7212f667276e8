import type { KeyEntry } from '@switchroom/contract/keys'
import type { Role, Scope } from '@switchroom/contract/scopes'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'

export interface KeyRow extends Omit<KeyEntry, 'scopes'> {
  own_scopes: Scope[] | null
  role: Role | null
  is_visit: boolean
}

const visible = statement<KeyRow>(`
  select k.id as fingerprint, k.label, k.kind, k.env, coalesce(m.name, k.name) as name, k.created_by, k.created_at,
    k.last_used_at, k.revoked_at, k.expires_at, k.scopes as own_scopes, m.role, k.visitor is not null as is_visit
  from keys k left join members m on m.id = k.member
  where k.org = $1 and (k.kind = 'server' or $3 or k.created_by = $2)
  order by k.ordinal`)

/** Every server token, and the keys of one person or, if asked for, of every person. */
export const listKeys = (database: Queryable, org: string, subject: string, everybodys: boolean) =>
  database.rows(visible, org, subject, everybodys)

const lockLiving = statement<{ id: string; label: string }>(`
  select id, label from keys
  where org = $1 and id = $2 and revoked_at is null and ($4 or id = $3 or created_by = $5)
  for update`)

/** The key if it is the org's, valid, and the caller's to revoke; locked, so that no copy is made meanwhile. */
export const lockRevocable = (
  tx: Transaction,
  key: { org: string; id: string },
  by: { key_id: string; anyKey: boolean; subject: string },
) => tx.row(lockLiving, key.org, key.id, by.key_id, by.anyKey, by.subject)

// Every rule locks a key before its copies, so that no two deadlock; a copy made meanwhile is seen by what follows.
const sourcesFirst = `order by cardinality(ancestors), id for update`

const isInTree = `revoked_at is null and (id = $1 or ancestors @> array[$1::text])`
const lockTree = statement(`select from keys where ${isInTree} ${sourcesFirst}`)
const revokeTree = statement(`update keys set revoked_at = $2 where ${isInTree}`)

/** The key and every copy below it, in any org. */
export async function revokeKey(tx: Transaction, id: string, at: Date) {
  await tx.rows(lockTree, id)
  await tx.rows(revokeTree, id, at)
}

const lockMembersKeys = statement(`
  select from keys
  where member = $1 or (revoked_at is null and ancestors && array(select id from keys where member = $1))
  ${sourcesFirst}`)
const revokeMembers = statement(`
  with dead as (select id from keys where member = $1)
  update keys set revoked_at = $2
  where revoked_at is null and (id in (select id from dead) or ancestors && array(select id from dead))`)

/** Every key of the member and every copy below it, in any org. */
export async function revokeKeysOfMember(tx: Transaction, member: string, at: Date) {
  await tx.rows(lockMembersKeys, member)
  await tx.rows(revokeMembers, member, at)
}

const ofPerson = `visitor = $1 or member in (select id from members where email = $1)`
const lockPersons = statement(`
  select from keys where revoked_at is null and (${ofPerson}) ${sourcesFirst}`)
const revokePersons = statement(`
  update keys set revoked_at = $2 where revoked_at is null and (${ofPerson})`)

/** Every key of the person in any org; a copy is locked after its source. */
export async function revokeKeysOfPerson(tx: Transaction, email: string, at: Date) {
  await tx.rows(lockPersons, email)
  await tx.rows(revokePersons, email, at)
}

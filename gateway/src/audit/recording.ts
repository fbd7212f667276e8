import { isDeepStrictEqual } from 'node:util'
import type { AuditAction, AuditTargetKind } from '@switchroom/contract/audit'
import type { Environment } from '@switchroom/contract/scopes'
import type { Transaction } from '../database/database.ts'
import type { Actor } from '../foundation/caller.ts'
import { newId } from '../foundation/secrets.ts'
import * as store from './audit.store.ts'

/** What was changed; the label is what a person knows it by. */
export interface AuditTarget {
  kind: AuditTargetKind
  id?: string | null
  label?: string | null
}

export interface AuditContext {
  /** If it differs from the actor's: an operator changes any org, or with null the deployment. */
  org?: string | null
  env?: Environment | null
  /** Fields that may be read by everyone with `team`: never a secret, a link or a caller's phone number. */
  detail?: Record<string, unknown>
}

/** Writes who changed what, in the transaction of the change: neither is kept without the other. */
export async function recordAudit(
  tx: Transaction,
  by: Actor,
  action: AuditAction,
  { kind: targetKind, id = null, label = null }: AuditTarget,
  { org = by.kind === 'operator' ? null : by.org, env = by.env ?? null, detail = {} }: AuditContext = {},
): Promise<void> {
  if (by.kind === 'token' || by.kind === 'participant')
    throw new Error('a token that reads one log changes nothing')
  const { kind, visiting } = by
  await store.insertEntry(tx, {
    id: newId('aud', 8),
    org,
    env,
    action,
    actor: {
      kind,
      key_id: by.key_id || null,
      subject: by.subject || null,
      name: by.name || null,
      email: by.email,
      visiting,
    },
    target: { kind: targetKind, id, label },
    detail,
    from: by.from || null,
  })
}

/** No one is signed in: a client without a key asked, or the platform itself acts. */
export const system = {
  kind: 'system',
  key_id: null,
  subject: null,
  name: null,
  email: null,
  visiting: false,
  from: null,
} as const

/** A person who acts by a link, a password or an identity provider, with their client address. */
export const actingPerson = (
  person: { id: string; org: string; name: string; email: string },
  from: string,
  key_id: string | null = null,
): Actor => ({
  kind: 'person',
  org: person.org,
  key_id,
  subject: person.id,
  name: person.name,
  email: person.email,
  visiting: false,
  from,
})

/** The names of the fields in which the two differ, for values that not every reader may see. */
export function changedNames(before: object, after: object): string[] {
  const gone = Object.fromEntries(Object.keys(before).map((field) => [field, null]))
  return Object.keys(changedFields(before, { ...gone, ...after })).toSorted()
}

/** The fields of the second that the first holds otherwise, each with both values. */
export function changedFields(before: object, after: object): Record<string, unknown> {
  const old = before as Record<string, unknown>
  const changed = Object.entries(after)
    .map(
      ([field, value]) => [field, { before: old[field] ?? null, after: (value as unknown) ?? null }] as const,
    )
    .filter(([, values]) => !isDeepStrictEqual(values.before, values.after))
  return Object.fromEntries(changed)
}

import type { MintedKey } from '@switchroom/contract/keys'
import { scopes, scopesOfRole, type Role } from '@switchroom/contract/scopes'
import type { Transaction } from '../../database/database.ts'
import type { Actor } from '../../foundation/caller.ts'
import type { Clock } from '../../foundation/clock.ts'
import { unauthorized } from '../../foundation/refusals.ts'
import { digestOf, newId, newSecret } from '../../foundation/secrets.ts'
import * as store from './mint.store.ts'

export interface KeyHolder {
  id: string
  org: string
  name: string
  role: Role
}

export interface Visitor {
  email: string
  name: string
}

/** A new key before its secret is generated. */
export type UnsignedKey = Omit<MintedKey, 'key'>

const visitSubject = 'operator:'

/** The person of a new key, as the audit log names them. */
export function holderOf({ org, key_id, subject, name }: UnsignedKey, from: string): Actor {
  const visiting = subject.startsWith(visitSubject)
  const kind = subject === '' ? 'server' : 'person'
  const email = visiting ? subject.slice(visitSubject.length) : null // a member's is read from their row
  return { kind, org, key_id, subject, name, email, visiting, from }
}

const prefixOf = (kind: 'person' | 'server', env: string) =>
  kind === 'server' && env === 'sandbox' ? 'svc_test_' : 'svc_live_'

/** Makes the keys of people and their devices. A copy is revoked with the key it was copied from. */
export class Mint {
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** A person's key works in both environments; their role and switches are read at every request. */
  async forPerson(
    tx: Transaction,
    holder: KeyHolder,
    label: string,
    copiedFrom?: string,
  ): Promise<MintedKey> {
    return this.#sign(tx, await this.forPersonLater(tx, holder, label, copiedFrom))
  }

  /** Inserts the row; `sign` generates its secret. */
  async forPersonLater(
    tx: Transaction,
    holder: KeyHolder,
    label: string,
    copiedFrom?: string,
  ): Promise<UnsignedKey> {
    const { id: member, org, name, role } = holder
    const ancestors = await this.#lineage(tx, copiedFrom)
    const key = { key_id: newId('key', 8), org, label, env: 'sandbox' as const, name }
    await this.#insert(tx, key, {
      kind: 'person',
      member,
      visitor: null,
      scopes: null,
      created_by: member,
      ancestors,
    })
    return { ...key, subject: member, scopes: [...scopesOfRole[role]] }
  }

  async lockMember(tx: Transaction, member: string) {
    await store.lockActiveMember(tx, member)
  }

  async forActiveMember(tx: Transaction, member: string, label: string): Promise<MintedKey | undefined> {
    const holder = await store.lockActiveMember(tx, member)
    return holder && this.forPerson(tx, holder, label)
  }

  /** An operator inside an org they are no member of. */
  async forVisit(tx: Transaction, org: string, visitor: Visitor, copiedFrom: string): Promise<MintedKey> {
    return this.#sign(
      tx,
      await this.forVisitLater(tx, org, visitor, `operator · ${visitor.email}`, copiedFrom),
    )
  }

  async forVisitLater(
    tx: Transaction,
    org: string,
    { email, name }: Visitor,
    label: string,
    copiedFrom: string,
  ): Promise<UnsignedKey> {
    const subject = `operator:${email}`
    const ancestors = await this.#lineage(tx, copiedFrom)
    const key = { key_id: newId('key', 8), org, label, env: 'sandbox' as const, name }
    await this.#insert(tx, key, {
      kind: 'person',
      member: null,
      visitor: email,
      scopes: null,
      created_by: subject,
      ancestors,
    })
    return { ...key, subject, scopes: [...scopes] }
  }

  /** With the same org, person, environment, scopes and expiry; undefined if the source is no longer valid. */
  async copy(tx: Transaction, source: string, label: string): Promise<MintedKey | undefined> {
    await store.lockKey(tx, source)
    const live = await store.findLiveKey(tx, source, this.#clock.now())
    if (!live) return undefined
    const { org, env, member, visitor, name, scopes: own, created_by, kind, role, expires_at } = live
    const { maker_held_providers, maker_held_production } = live
    const key = { key_id: newId('key', 8), org, label, env, name: name ?? '' }
    const ancestors = [...live.ancestors, live.id]
    const row = { kind, member, visitor, scopes: own, created_by, ancestors, expires_at }
    await this.#insert(tx, key, { ...row, maker_held_providers, maker_held_production })
    const subject = member ?? (visitor === null ? '' : `operator:${visitor}`)
    const opened = own ?? (role ? scopesOfRole[role] : scopes)
    return this.#sign(tx, { ...key, subject, scopes: [...opened] }, prefixOf(kind, env))
  }

  /** Generates the secret of a key that was inserted before, unless it was revoked since. */
  async sign(tx: Transaction, id: string): Promise<(MintedKey & { slug: string }) | undefined> {
    await store.lockKey(tx, id)
    const live = await store.findLiveKey(tx, id, this.#clock.now())
    if (!live) return undefined
    const { org, label, env, name, member, visitor, role } = live
    const subject = member ?? `operator:${visitor}`
    const opened = role ? scopesOfRole[role] : scopes
    const unsigned = { key_id: id, org, label, env, name: name ?? '', subject, scopes: [...opened] }
    return { ...(await this.#sign(tx, unsigned)), slug: live.slug }
  }

  async #sign(tx: Transaction, key: UnsignedKey, prefix = 'svc_live_'): Promise<MintedKey> {
    const secret = newSecret(prefix)
    await store.drawSecret(tx, key.key_id, digestOf(secret))
    return { key: secret, ...key }
  }

  async #lineage(tx: Transaction, copiedFrom: string | undefined): Promise<string[]> {
    if (copiedFrom === undefined) return []
    await store.lockKey(tx, copiedFrom)
    const source = await store.findLiveKey(tx, copiedFrom, this.#clock.now())
    if (!source) throw unauthorized('this key opens nothing') // it was revoked while it was being copied
    return [...source.ancestors, source.id]
  }

  async #insert(
    tx: Transaction,
    { key_id, org, label, env, name }: Omit<UnsignedKey, 'subject' | 'scopes'>,
    row: Pick<store.NewKey, 'kind' | 'member' | 'visitor' | 'scopes' | 'created_by' | 'ancestors'> & {
      expires_at?: string | null
      maker_held_providers?: boolean
      maker_held_production?: boolean
    },
  ) {
    const created_at = this.#clock.now()
    const kept = {
      id: key_id,
      org,
      digest: null,
      label,
      env,
      name: row.kind === 'server' ? null : name,
      created_at,
    }
    await store.insertKey(tx, { expires_at: null, ...row, ...kept })
  }
}

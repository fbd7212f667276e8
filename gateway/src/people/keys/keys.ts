import {
  environments,
  scopes,
  scopesOfRole,
  serverTokenScopes,
  type Role,
  type Scope,
} from '@switchroom/contract/scopes'
import type { CreateServerToken, MintedKey, ServerToken } from '@switchroom/contract/keys'
import type { Database, Transaction } from '../../database/database.ts'
import type { Clock } from '../../foundation/clock.ts'
import { badRequest, listed } from '../../foundation/refusals.ts'
import { digestOf, newId, newSecret } from '../../foundation/secrets.ts'
import { lineOf } from '../../foundation/text.ts'
import * as store from './keys.store.ts'

export interface KeyHolder {
  id: string
  org: string
  name: string
  role: Role
}

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/

/** Makes keys, and ends them. The key itself is only in the answer that made it. */
export class Keys {
  readonly #database: Database
  readonly #clock: Clock

  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  /** A person's key opens both environments; their role and switches are read at every request. */
  async mintForPerson(tx: Transaction, holder: KeyHolder, label: string): Promise<MintedKey> {
    const key = newSecret('svc_live_')
    const { id: member, org, name, role } = holder
    const minted = { key_id: newId('key', 8), org, label, env: 'sandbox', name } as const
    await store.insertKey(tx, {
      ...minted,
      id: minted.key_id,
      digest: digestOf(key),
      kind: 'person',
      member,
      scopes: null,
      created_by: member,
      created_at: this.#clock.now(),
      expires_at: null,
    })
    return { ...minted, key, subject: member, scopes: [...scopesOfRole[role]] }
  }

  /** A token the operator makes may hold any scope there is. */
  createAsOperator(org: string, wanted: CreateServerToken): Promise<ServerToken> {
    return this.#createServerToken(org, wanted, scopes, 'operator')
  }

  async #createServerToken(
    org: string,
    wanted: CreateServerToken,
    grantable: readonly Scope[],
    created_by: string,
  ): Promise<ServerToken> {
    const env = environments.find((known) => known === wanted.env)
    if (!env) throw badRequest('env is sandbox or production')
    const key = newSecret(env === 'production' ? 'svc_live_' : 'svc_test_')
    const expires = this.#expiry(wanted.expires_at)
    const minted = {
      key_id: newId('key', 8),
      org,
      label: lineOf('label', wanted.label),
      env,
      scopes: scopesWanted(wanted.scopes, grantable),
    }
    await store.insertKey(this.#database, {
      ...minted,
      id: minted.key_id,
      digest: digestOf(key),
      kind: 'server',
      member: null,
      name: null,
      created_by,
      created_at: this.#clock.now(),
      expires_at: expires,
    })
    const expires_at = expires?.toISOString() ?? null
    return { ...minted, key, subject: '', name: '', fingerprint: minted.key_id, expires_at }
  }

  /** Ends every key of the member, and every copy of those. */
  async revokeOfMember(tx: Transaction, member: string) {
    await store.revokeKeysOfMember(tx, member, this.#clock.now())
  }

  #expiry(wanted: string | undefined): Date | null {
    if (wanted === undefined) return null
    const at = rfc3339.test(wanted) ? new Date(wanted) : undefined
    if (!at || !(at > this.#clock.now()))
      throw badRequest('expires_at is a time with an offset, in the future')
    return at
  }
}

/** The named scopes in canonical order; without any, those a server token usually opens. */
function scopesWanted(wanted: readonly string[] | undefined, grantable: readonly Scope[]): Scope[] {
  if (wanted === undefined) return scopes.filter((scope) => (serverTokenScopes as Scope[]).includes(scope))
  const known = wanted.every((name) => grantable.some((scope) => scope === name))
  if (!known || wanted.length === 0)
    throw badRequest(`a server token opens ${listed(grantable)}, and at least one of them`)
  return scopes.filter((scope) => wanted.includes(scope))
}

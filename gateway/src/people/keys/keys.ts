import {
  environments,
  scopes,
  scopesOfRole,
  serverTokenScopes,
  type Scope,
} from '@switchroom/contract/scopes'
import type { CreateServerToken, KeyEntry, KeyList, RevokedKey, ServerToken } from '@switchroom/contract/keys'
import { recordAudit } from '../../audit/recording.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Actor, Caller } from '../../foundation/caller.ts'
import type { Clock } from '../../foundation/clock.ts'
import { badRequest, listed, notFound } from '../../foundation/refusals.ts'
import { digestOf, newId, newSecret } from '../../foundation/secrets.ts'
import { lineOf } from '../../foundation/text.ts'
import { refuseProductionBeyond } from '../../foundation/granting.ts'
import * as store from './keys.store.ts'
import { insertKey, type NewKey } from './mint.store.ts'

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/

/** The keys of an org: who may list them, make server tokens, and revoke them. */
export class Keys {
  readonly #database: Database
  readonly #clock: Clock

  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  async list({ org, subject, scopes: opens }: Caller): Promise<KeyList> {
    const rows = await store.listKeys(this.#database, org, subject, opens.includes('keys'))
    return { keys: rows.map(entryOf) }
  }

  create(caller: Caller, wanted: CreateServerToken): Promise<ServerToken> {
    const maker = {
      created_by: caller.subject,
      maker_held_providers: caller.scopes.includes('providers'),
      maker_held_production: caller.production,
    }
    return this.#createServerToken(caller, caller.org, wanted, serverTokenScopes, maker, () => {
      if (wanted.env === 'production') refuseProductionBeyond(caller)
    })
  }

  /** An operator's token may have any scope. */
  createAsOperator(by: Actor, org: string, wanted: CreateServerToken): Promise<ServerToken> {
    const maker = { created_by: 'operator', maker_held_providers: true, maker_held_production: true }
    return this.#createServerToken(by, org, wanted, scopes, maker, () => {})
  }

  /** Another org's key, a revoked one and one that is not the caller's to revoke are refused alike. */
  async revoke(caller: Caller, fingerprint: string): Promise<RevokedKey> {
    const { org, key_id, subject } = caller
    return this.#database.transaction(async (tx) => {
      const by = { key_id, subject, anyKey: caller.scopes.includes('keys') }
      const key = await store.lockRevocable(tx, { org, id: fingerprint }, by)
      if (!key) throw notFound('there is no such key')
      await store.revokeKey(tx, fingerprint, this.#clock.now())
      await recordAudit(tx, caller, 'key.revoked', { kind: 'key', ...key })
      return { fingerprint, revoked: true }
    })
  }

  /** Revokes every key of the member and their copies. */
  async revokeOfMember(tx: Transaction, member: string) {
    await store.revokeKeysOfMember(tx, member, this.#clock.now())
  }

  /** Revokes every key of the person in every org, of visits, and their copies. */
  async revokeOfPerson(tx: Transaction, email: string) {
    await store.revokeKeysOfPerson(tx, email, this.#clock.now())
  }

  async revokeTree(tx: Transaction, key: string) {
    await store.revokeKey(tx, key, this.#clock.now())
  }

  async #createServerToken(
    by: Actor,
    org: string,
    wanted: CreateServerToken,
    grantable: readonly Scope[],
    maker: Required<Pick<NewKey, 'created_by' | 'maker_held_providers' | 'maker_held_production'>>,
    refuseUngrantable: () => void,
  ): Promise<ServerToken> {
    const env = environments.find((known) => known === wanted.env)
    if (!env) throw badRequest('env is sandbox or production')
    const label = lineOf('label', wanted.label)
    const opens = scopesWanted(wanted.scopes, grantable)
    const expires = this.#expiry(wanted.expires_at)
    refuseUngrantable()

    const key = newSecret(env === 'production' ? 'svc_live_' : 'svc_test_')
    const minted = { key_id: newId('key', 8), org, label, env, scopes: opens }
    const expires_at = expires?.toISOString() ?? null
    await this.#database.transaction(async (tx) => {
      await insertKey(tx, {
        ...minted,
        id: minted.key_id,
        digest: digestOf(key),
        kind: 'server',
        member: null,
        visitor: null,
        name: null,
        ...maker,
        ancestors: [],
        created_at: this.#clock.now(),
        expires_at: expires,
      })
      const target = { kind: 'key', id: minted.key_id, label } as const
      await recordAudit(tx, by, 'key.created', target, { org, env, detail: { scopes: opens, expires_at } })
    })
    return { ...minted, key, subject: '', name: '', fingerprint: minted.key_id, expires_at }
  }

  #expiry(wanted: string | undefined): Date | null {
    if (wanted === undefined) return null
    const at = rfc3339.test(wanted) ? new Date(wanted) : undefined
    if (!at || !(at > this.#clock.now()))
      throw badRequest('expires_at is a time with an offset, in the future')
    return at
  }
}

/** A person's scopes are those of their current role; a removed member has none. */
function entryOf({ own_scopes, role, is_visit, ...entry }: store.KeyRow): KeyEntry {
  const opens = own_scopes ?? (is_visit ? scopes : role ? scopesOfRole[role] : [])
  return { ...entry, scopes: [...opens] }
}

/** The named scopes in canonical order; without any, a server token's default scopes. */
function scopesWanted(wanted: readonly string[] | undefined, grantable: readonly Scope[]): Scope[] {
  const named: readonly string[] = wanted ?? serverTokenScopes
  const known = named.every((name) => grantable.some((scope) => scope === name))
  if (!known || named.length === 0)
    throw badRequest(`a server token opens ${listed(grantable)}, and at least one of them`)
  return scopes.filter((scope) => named.includes(scope))
}

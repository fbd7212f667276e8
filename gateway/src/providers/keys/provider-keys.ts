import type { BringKey, BroughtKeys } from '@switchroom/contract/providers'
import type { InstalledVendors } from '@switchroom/kit/installed'
import type { Credentials } from '@switchroom/kit/vendor'
import { recordAudit } from '../../audit/recording.ts'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { badRequest, notFound } from '../../foundation/refusals.ts'
import type { Vault } from '../../foundation/sealing.ts'
import { noPlugin } from '../reading/vendor-refusals.ts'
import { broughtOf, credentialsFrom, type Brought } from './credential-rules.ts'
import * as store from './provider-keys.store.ts'

const placeOf = (org: string, vendor: string) => `provider_keys:sealed:${org}:${vendor}` as const

const targetOf = (vendor: string) => ({ kind: 'vendor', id: vendor, label: vendor }) as const

/** The keys an org brought for vendors: one for all that a vendor does, in both environments. */
export class ProviderKeys {
  readonly #database: Database
  readonly #vault: Vault
  readonly #vendors: InstalledVendors

  constructor(database: Database, vault: Vault, vendors: InstalledVendors) {
    this.#database = database
    this.#vault = vault
    this.#vendors = vendors
  }

  async list(org: string): Promise<BroughtKeys> {
    return { vendors: await this.ownVendors(org) }
  }

  async ownVendors(org: string): Promise<string[]> {
    return (await store.listVendors(this.#database, org)).map(({ vendor }) => vendor)
  }

  /** Replaces whatever was brought before. The vendor is not asked: a bad key shows when it is used. */
  async put(caller: Caller, vendor: string, wanted: BringKey): Promise<BroughtKeys> {
    const { org } = caller
    const installed = this.#vendors.get(vendor)
    if (!installed) throw badRequest(noPlugin(vendor))
    const brought = JSON.stringify(broughtOf(installed, wanted))
    await this.#database.transaction(async (tx) => {
      await store.keepKey(tx, org, vendor, this.#vault.seal(brought, placeOf(org, vendor)))
      await recordAudit(tx, caller, 'provider_key.set', targetOf(vendor), { env: null })
    })
    return this.list(org)
  }

  /** Also of a vendor that is not installed any more. */
  async remove(caller: Caller, vendor: string): Promise<void> {
    await this.#database.transaction(async (tx) => {
      if (!(await store.deleteKey(tx, caller.org, vendor)))
        throw notFound(`this org brought no key for ${vendor}`)
      await recordAudit(tx, caller, 'provider_key.removed', targetOf(vendor), { env: null })
    })
  }

  async has(org: string, vendor: string): Promise<boolean> {
    return (await store.findKey(this.#database, org, vendor)) !== undefined
  }

  /** Null where the org brought none. Throws when what is sealed is not this row's own. */
  async credentialsOf(org: string, vendor: string): Promise<Credentials | null> {
    const kept = await store.findKey(this.#database, org, vendor)
    if (!kept) return null
    const brought = JSON.parse(this.#vault.open(kept.sealed, placeOf(org, vendor))) as Brought
    return credentialsFrom(brought, this.#vendors.get(vendor)?.manifest)
  }
}

import type { BringKey, BroughtKeys } from '@switchroom/contract/providers'
import { environments, type Environment } from '@switchroom/contract/scopes'
import type { InstalledVendors } from '@switchroom/kit/installed'
import type { Credentials } from '@switchroom/kit/vendor'
import { recordAudit } from '../../audit/recording.ts'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { refuseProductionBeyond } from '../../foundation/granting.ts'
import { badRequest, notFound } from '../../foundation/refusals.ts'
import type { Vault } from '../../foundation/sealing.ts'
import { noPlugin } from '../parsing/vendor-refusals.ts'
import { broughtOf, credentialsFrom, type Brought } from './credential-rules.ts'
import * as store from './provider-keys.store.ts'

/** Sealed for its scope: one environment's key cannot be opened as the other's or as the one for both. */
export const sealedAt = ({ org, env }: store.KeyPlace, vendor: string) =>
  env === null
    ? (`provider_keys:sealed:${org}:${vendor}` as const)
    : (`environment_provider_keys:sealed:${org}:${env}:${vendor}` as const)

const targetOf = (vendor: string) => ({ kind: 'vendor', id: vendor, label: vendor }) as const

/** An org's own keys for vendors, each for all of a vendor's services, in one environment or in both. */
export class ProviderKeys {
  readonly #database: Database
  readonly #vault: Vault
  readonly #vendors: InstalledVendors

  constructor(database: Database, vault: Vault, vendors: InstalledVendors) {
    this.#database = database
    this.#vault = vault
    this.#vendors = vendors
  }

  /** The vendors with a key for both environments, or only for the named one. */
  async list(org: string, wanted?: string): Promise<BroughtKeys> {
    const kept = await store.listVendors(this.#database, { org, env: environmentWanted(wanted) })
    return { vendors: kept.map(({ vendor }) => vendor) }
  }

  /** The vendors for which calls of the environment use the org's own key. */
  async ownVendors({ org, env }: OrgInEnvironment): Promise<string[]> {
    return (await store.listRunning(this.#database, org, env)).map(({ vendor }) => vendor)
  }

  /** Replaces the earlier key. The vendor is not asked: a bad key fails when it is used. */
  async put(caller: Caller, vendor: string, { env: wanted, ...brought }: BringKey): Promise<BroughtKeys> {
    const place = placeOf(caller, wanted)
    const installed = this.#vendors.get(vendor)
    if (!installed) throw badRequest(noPlugin(vendor))
    const secret = JSON.stringify(broughtOf(installed, brought))
    await this.#database.transaction(async (tx) => {
      await store.keepKey(tx, place, vendor, this.#vault.seal(secret, sealedAt(place, vendor)))
      await recordAudit(tx, caller, 'provider_key.set', targetOf(vendor), { env: place.env })
    })
    return this.list(caller.org, wanted)
  }

  /** Also for a vendor that is no longer installed. */
  async remove(caller: Caller, vendor: string, wanted?: string): Promise<void> {
    const place = placeOf(caller, wanted)
    await this.#database.transaction(async (tx) => {
      if (!(await store.deleteKey(tx, place, vendor)))
        throw notFound(`this org brought no key for ${vendor}${place.env === null ? '' : ` in ${place.env}`}`)
      await recordAudit(tx, caller, 'provider_key.removed', targetOf(vendor), { env: place.env })
    })
  }

  async has({ org, env }: OrgInEnvironment, vendor: string): Promise<boolean> {
    return (await store.findKey(this.#database, org, vendor, env)) !== undefined
  }

  /** Null if the org has none. Throws if the sealed value belongs to another row. */
  async credentialsOf({ org, env }: OrgInEnvironment, vendor: string): Promise<Credentials | null> {
    const kept = await store.findKey(this.#database, org, vendor, env)
    if (!kept) return null
    const secret = this.#vault.open(kept.sealed, sealedAt({ org, env: kept.env }, vendor))
    return credentialsFrom(JSON.parse(secret) as Brought, this.#vendors.get(vendor)?.manifest)
  }
}

export interface OrgInEnvironment {
  org: string
  env: Environment
}

function environmentWanted(wanted: string | undefined): Environment | null {
  if (wanted === undefined) return null
  const env = environments.find((known) => known === wanted)
  if (!env) throw badRequest('env is sandbox or production')
  return env
}

function placeOf(caller: Caller, wanted: string | undefined): store.KeyPlace {
  const env = environmentWanted(wanted)
  if (env === 'production') refuseProductionBeyond(caller)
  return { org: caller.org, env }
}

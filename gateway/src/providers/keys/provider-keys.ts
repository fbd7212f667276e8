import type { BringKey, BroughtKeys } from '@switchroom/contract/providers'
import { endpointVendor } from '@switchroom/contract/endpoint-names'
import { environments, type Environment } from '@switchroom/contract/scopes'
import type { InstalledVendor, InstalledVendors } from '@switchroom/kit/installed'
import type { Credentials } from '@switchroom/kit/vendor'
import { recordAudit } from '../../audit/recording.ts'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { refuseProductionBeyond } from '../../foundation/granting.ts'
import { badRequest, notFound } from '../../foundation/refusals.ts'
import type { Vault } from '../../foundation/sealing.ts'
import { noPlugin } from '../parsing/vendor-refusals.ts'
import { broughtOf, credentialsFrom, type Brought } from './credential-rules.ts'
import type { KeyTrial } from './key-trial.ts'
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
  readonly #trial: KeyTrial

  constructor(database: Database, vault: Vault, vendors: InstalledVendors, trial: KeyTrial) {
    this.#database = database
    this.#vault = vault
    this.#vendors = vendors
    this.#trial = trial
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

  /** Replaces the earlier key. The vendor is asked only if the request says so: a bad key fails when it is used. */
  async put(
    caller: Caller,
    vendor: string,
    { env: wanted, try: isTried, ...brought }: BringKey,
  ): Promise<BroughtKeys> {
    const place = placeOf(caller, wanted)
    const installed = this.#vendors.get(vendor)
    if (!installed) throw badRequest(noPlugin(vendor))
    if (vendor === endpointVendor)
      throw badRequest('custom takes no key alone: create a model endpoint with POST /v1/model-endpoints')
    const kept = broughtOf(installed, brought)
    const untried = isTried ? await this.#try(caller.org, installed, kept) : null
    const secret = JSON.stringify(kept)
    await this.#database.transaction(async (tx) => {
      await store.keepKey(tx, place, vendor, this.#vault.seal(secret, sealedAt(place, vendor)))
      await recordAudit(tx, caller, 'provider_key.set', targetOf(vendor), { env: place.env })
    })
    return { ...(await this.list(caller.org, wanted)), ...(untried !== null && { untried }) }
  }

  async #try(org: string, vendor: InstalledVendor, kept: Brought): Promise<string | null> {
    return this.#trial.try(org, vendor, credentialsFrom(kept, vendor.manifest))
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

import { endpointVendor } from '@switchroom/contract/endpoint-names'
import type { Credentials } from '@switchroom/kit/vendor'
import type { ModelEndpoints } from '../endpoints/model-endpoints.ts'
import type { VendorModel } from '../parsing/stage-parsing.ts'
import type { OrgInEnvironment, ProviderKeys } from '../keys/provider-keys.ts'

/** What a key is for; the model counts only of the org's own endpoints. */
export type KeyedRun = Pick<VendorModel, 'vendor'> & Partial<VendorModel>

/** What an org runs models on itself: its keys for vendors, and its own endpoints. */
export class OwnKeys {
  readonly #keys: ProviderKeys
  readonly #endpoints: ModelEndpoints

  constructor(keys: ProviderKeys, endpoints: ModelEndpoints) {
    this.#keys = keys
    this.#endpoints = endpoints
  }

  /** Null if the org has none. */
  credentialsOf(org: OrgInEnvironment, { vendor, model = '' }: KeyedRun): Promise<Credentials | null> {
    return vendor === endpointVendor
      ? this.#endpoints.credentialsOf(org, model)
      : this.#keys.credentialsOf(org, vendor)
  }

  has(org: OrgInEnvironment, { vendor, model = '' }: KeyedRun): Promise<boolean> {
    return vendor === endpointVendor ? this.#endpoints.has(org, model) : this.#keys.has(org, vendor)
  }

  vendors(org: OrgInEnvironment): Promise<string[]> {
    return this.#keys.ownVendors(org)
  }

  /** The names of its endpoints. */
  async endpoints(org: OrgInEnvironment): Promise<string[]> {
    const { endpoints } = await this.#endpoints.list(org)
    return endpoints.map(({ name }) => name)
  }
}

/** Whether a list of vendors, and of endpoints as `custom/<name>`, has what runs a model. */
export const isOwn = (own: readonly string[], { vendor, model }: VendorModel) =>
  own.includes(vendor === endpointVendor ? `${vendor}/${model}` : vendor)

import type { ProviderRow } from '@switchroom/contract/providers'
import type { Environment } from '@switchroom/contract/scopes'
import type { Stage } from '@switchroom/contract/stages'
import type { InstalledVendors } from '@switchroom/kit/installed'
import type { Credentials } from '@switchroom/kit/vendor'
import { listed } from '../../foundation/refusals.ts'
import { fieldsBeyondKey } from '../keys/credential-rules.ts'
import type { Rates } from '../rates/rates.ts'
import type { ProvidersRow } from '../row/row.ts'
import type { KeyedRun, OwnKeys } from './own-keys.ts'

/** The key a stage of a call would run on: the org's own, else the platform's, else none. */
export type StageKey =
  | { from: 'own' | 'lent'; credentials: Credentials }
  | { from: 'none'; credentials: null }

/** An org by id and slug, because the operator may use either, and the environment. */
export interface NamedOrg {
  org: string
  slug: string
  env: Environment
}

/** The credentials that the platform lends for a service of a vendor, if it does. */
export type Lent = (service: Stage, vendor: string) => Credentials | undefined

export interface LentKeysParts {
  vendors: InstalledVendors
  providersRow: ProvidersRow
  rates: Rates
  ownKeys: OwnKeys
  /** By vendor, as in the names of settings: lower case, with `_` for `-`. */
  platformKeys: ReadonlyMap<string, string>
}

/** The platform's own vendor keys that it lends to orgs. */
export class LentKeys {
  readonly #parts: LentKeysParts

  constructor(parts: LentKeysParts) {
    this.#parts = parts
  }

  async lends(org: NamedOrg, service: Stage, vendor: string): Promise<boolean> {
    return (await this.lentTo(org))(service, vendor) !== undefined
  }

  async keyFor(org: NamedOrg, service: Stage, run: KeyedRun): Promise<StageKey> {
    return this.keyUnder(await this.#parts.providersRow.read(), org, service, run)
  }

  /** The same for a row that was already read. */
  async keyUnder(
    row: Pick<ProviderRow, 'withheld'>,
    org: NamedOrg,
    service: Stage,
    run: KeyedRun,
  ): Promise<StageKey> {
    const own = await this.#parts.ownKeys.credentialsOf(org, run)
    if (own) return { from: 'own', credentials: own }
    const lent = (await this.lentUnder(row, org))(service, run.vendor)
    return lent ? { from: 'lent', credentials: lent } : { from: 'none', credentials: null }
  }

  /** What the org is lent now, read once for any number of vendors. */
  async lentTo(org: NamedOrg): Promise<Lent> {
    return this.lentUnder(await this.#parts.providersRow.read(), org)
  }

  /** The same for a row that was already read. */
  async lentUnder({ withheld }: Pick<ProviderRow, 'withheld'>, org: NamedOrg): Promise<Lent> {
    const rates = await this.#parts.rates.table()
    return (service, vendor) => {
      const manifest = this.#parts.vendors.doing(service, vendor)?.manifest
      if (!manifest || isWithheld(withheld, org, vendor)) return undefined
      const field = manifest.credentials.key
      if (field === undefined) return {} // on the platform's own machines, at no price
      const key = this.#parts.platformKeys.get(settingName(vendor))
      const isLent =
        key !== undefined && fieldsBeyondKey(manifest).length === 0 && rates.isManaged(service, vendor)
      return isLent ? { [field]: key } : undefined
    }
  }

  /** One sentence for each of the operator's keys that no vendor can use. */
  uselessKeys(): string[] {
    return [...this.#parts.platformKeys.keys()].flatMap((key) => {
      const setting = `SVC_PROVIDER_KEY_${key.toUpperCase()}`
      const vendor = this.#parts.vendors.all.find(({ name }) => settingName(name) === key)
      if (!vendor) return [`${setting} lends nothing: no vendor of that name is installed`]
      if (!vendor.manifest) return []
      if (!vendor.needsKey) return [`${setting} lends nothing: ${vendor.name} runs without a key`]
      const more = fieldsBeyondKey(vendor.manifest)
      return more.length === 0
        ? []
        : [`${setting} lends nothing: ${vendor.name} needs ${listed(more)} as well`]
    })
  }
}

const settingName = (vendor: string) => vendor.replaceAll('-', '_')

function isWithheld(withheld: ProviderRow['withheld'], { org, slug }: NamedOrg, vendor: string): boolean {
  const from = withheld[vendor] ?? []
  return from === 'all' || from.includes(org) || from.includes(slug)
}

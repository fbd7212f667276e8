import type { ProviderRow } from '@switchroom/contract/providers'
import type { InstalledVendors } from '@switchroom/kit/installed'
import type { Credentials } from '@switchroom/kit/vendor'
import type { Rates } from '../rates/rates.ts'
import { stageOf, type StageKnob, type VendorModel } from '../parsing/stage-parsing.ts'
import { notLent } from '../parsing/vendor-refusals.ts'
import type { LentKeys, NamedOrg } from './lent-keys.ts'
import { isOwn } from './own-keys.ts'

/** The key that runs a stage, and the price of a unit: none on the org's own key. */
export interface RunningKey {
  from: 'own' | 'lent'
  credentials: Credentials
  creditsPerUnit: number
}

/** Which key runs a vendor's model: `unneeded` if the vendor takes none, `missing` if there is none. */
export type KeySource = 'own' | 'lent' | 'unneeded' | 'missing'

/** Finds the key that would run a vendor's model for an org. */
export class StageKeys {
  readonly #vendors: InstalledVendors
  readonly #lentKeys: LentKeys
  readonly #rates: Rates

  constructor(vendors: InstalledVendors, lentKeys: LentKeys, rates: Rates) {
    this.#vendors = vendors
    this.#lentKeys = lentKeys
    this.#rates = rates
  }

  /** Refuses a model without a key, naming the knob that names the vendor. */
  async keyFor(org: NamedOrg, knob: StageKnob, run: VendorModel): Promise<RunningKey> {
    const key = await this.find(org, knob, run)
    if (!key) throw notLent(knob, run)
    return key
  }

  /** The org's own key runs every model; a lent key those that the rate table marks as managed. */
  async find(
    org: NamedOrg,
    knob: StageKnob,
    run: VendorModel,
    row?: Pick<ProviderRow, 'withheld'>,
  ): Promise<RunningKey | undefined> {
    const { vendor, model } = run
    const stage = stageOf(knob)
    const key = row
      ? await this.#lentKeys.keyUnder(row, org, stage, run)
      : await this.#lentKeys.keyFor(org, stage, run)
    if (key.from === 'none') return undefined
    if (key.from === 'own' || !this.#vendors.get(vendor)?.needsKey) return { ...key, creditsPerUnit: 0 }
    const rate = (await this.#rates.table()).find(stage, vendor, model)
    return rate?.managed ? { ...key, creditsPerUnit: rate.credits } : undefined
  }

  /** The same by name, for a row and own vendors that were already read. */
  async sourcesUnder(
    row: Pick<ProviderRow, 'withheld'>,
    org: NamedOrg,
    ownVendors: readonly string[],
  ): Promise<(knob: StageKnob, run: VendorModel) => KeySource> {
    const [lent, rates] = await Promise.all([this.#lentKeys.lentUnder(row, org), this.#rates.table()])
    return (knob, { vendor, model }) => {
      const stage = stageOf(knob)
      if (this.#vendors.doing(stage, vendor)?.needsKey === false) return 'unneeded'
      if (isOwn(ownVendors, { vendor, model })) return 'own'
      return lent(stage, vendor) && rates.find(stage, vendor, model)?.managed ? 'lent' : 'missing'
    }
  }
}

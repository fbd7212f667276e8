import { warnedDaysAhead, type RetiringModel } from '@switchroom/contract/retiring'
import type { Availability, Catalogue, CatalogueEntry, ProviderRow } from '@switchroom/contract/providers'
import { endpointVendor } from '@switchroom/contract/endpoint-names'
import { stages } from '@switchroom/contract/stages'
import { wordsOf } from '@switchroom/kit/failures'
import type { InstalledVendor, InstalledVendors } from '@switchroom/kit/installed'
import type { OwnKeys } from '../lent-keys/own-keys.ts'
import type { LentKeys, NamedOrg } from '../lent-keys/lent-keys.ts'
import { splitKey } from '../row/row-parsing.ts'
import { voicesInRow } from '../row/row-voices.ts'
import type { ProvidersRow } from '../row/row.ts'

/** The installed vendors as one org sees them now. */
export class VendorCatalogue {
  readonly #vendors: InstalledVendors
  readonly #row: ProvidersRow
  readonly #keys: OwnKeys
  readonly #lentKeys: LentKeys

  constructor(vendors: InstalledVendors, row: ProvidersRow, keys: OwnKeys, lentKeys: LentKeys) {
    this.#vendors = vendors
    this.#row = row
    this.#keys = keys
    this.#lentKeys = lentKeys
  }

  async read(org: NamedOrg): Promise<Catalogue> {
    const [row, own, endpoints, lent] = await Promise.all([
      this.#row.read(),
      this.#keys.vendors(org),
      this.#keys.endpoints(org),
      this.#lentKeys.lentTo(org),
    ])
    const availabilityOf = ({ name, does }: InstalledVendor) => {
      if (own.includes(name) || (name === endpointVendor && endpoints.length > 0)) return 'yours'
      return does.some((service) => lent(service, name)) ? 'offered' : 'bring your own'
    }
    const entries = this.#vendors.all.map((vendor) => entryOf(vendor, row, availabilityOf(vendor)))
    return {
      providers: await Promise.all(entries),
      defaults: row.defaults,
      models: {
        ...modelsOf(row, this.#vendors),
        ...(endpoints.length > 0 && { [`llm/${endpointVendor}`]: endpoints }),
      },
    }
  }
}

async function entryOf(
  vendor: InstalledVendor,
  row: ProviderRow,
  unbroken: Availability,
): Promise<CatalogueEntry> {
  const broken = await whyBroken(vendor)
  const availability = broken === null ? unbroken : 'broken'
  const retiring = retiringOf(vendor)
  return {
    name: vendor.name,
    does: [...vendor.does],
    availability,
    ready: availability === 'yours' || availability === 'offered',
    broken,
    voices_listed: broken === null && listsVoices(vendor, row),
    ...(retiring.length > 0 && { retiring }),
  }
}

/** In one line, without folder names of this machine. */
async function whyBroken(vendor: InstalledVendor): Promise<string | null> {
  const reason = await vendor.whyBroken()
  if (reason === null) return null
  return (
    wordsOf(reason.replaceAll(/(?:file:\/\/)?(?:\/[^\s/'"]+)+\//g, ''), {}) || 'its adapter does not load'
  )
}

const listsVoices = (vendor: InstalledVendor, row: ProviderRow) =>
  vendor.does.includes('tts') &&
  (vendor.manifest?.stages.tts?.lists_voices === true || voicesInRow(row, vendor.name).length > 0)

/** The earliest first. */
function retiringOf({ manifest }: InstalledVendor): RetiringModel[] {
  const until = new Date(Date.now() + warnedDaysAhead * 86_400_000).toISOString().slice(0, 10)
  const models = stages.flatMap((stage) =>
    Object.entries(manifest?.stages[stage]?.retires ?? {}).map(([model, on]) => ({ stage, model, on })),
  )
  return models.filter(({ on }) => on <= until).toSorted((a, b) => (a.on < b.on ? -1 : 1))
}

/** Only installed vendors: the row may name others. */
function modelsOf({ models }: ProviderRow, vendors: InstalledVendors): ProviderRow['models'] {
  const installed = Object.entries(models).filter(([key]) => {
    const named = splitKey(key)
    return named && vendors.doing(named.stage, named.vendor)
  })
  return Object.fromEntries(installed)
}

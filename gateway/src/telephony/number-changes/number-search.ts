import { addressNeeds, type ForSaleAsked, type NumbersForSale } from '@switchroom/contract/numbers'
import type { Caller } from '../../foundation/caller.ts'
import { cutToLine } from '../../foundation/text.ts'
import type { NumberShop } from '../carriers/number-shop.ts'
import type { NumberSources } from './number-sources.ts'
import { readSearch } from './purchase-parsing.ts'
import type { PurchaseRequirements } from './purchase-requirements.ts'

export interface NumberSearchParts {
  shop: NumberShop
  sources: NumberSources
  requirements: PurchaseRequirements
}

/** Numbers that a person may choose from before one is bought. */
export class NumberSearch {
  readonly #parts: NumberSearchParts

  constructor(parts: NumberSearchParts) {
    this.#parts = parts
  }

  async list({ org }: Caller, query: ForSaleAsked): Promise<NumbersForSale> {
    const { shop, sources, requirements } = this.#parts
    const { areaCode, contains, address, limit, ...kind } = readSearch(query)
    const login = sources.ownLogin()
    const reach = address === undefined ? undefined : await requirements.reachOf(org, login, kind, address)
    const offered = await shop.search(login, {
      ...kind,
      ...(areaCode !== undefined && { areaCode }),
      ...(contains !== undefined && { contains }),
      ...(reach !== undefined && { address: reach }),
      limit,
    })
    return {
      ...kind,
      numbers: offered.slice(0, limit).map((offer) => ({
        number: offer.phone_number,
        name: cutToLine(offer.friendly_name, offer.phone_number),
        locality: offer.locality || null,
        region: offer.region || null,
        needs_address: addressNeeds.find((need) => need === offer.address_requirements) ?? 'any',
      })),
    }
  }
}

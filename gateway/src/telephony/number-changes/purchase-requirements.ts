import type { BuyingRequirements, NumberKind } from '@switchroom/contract/numbers'
import type { Caller } from '../../foundation/caller.ts'
import { conflict, notFound } from '../../foundation/refusals.ts'
import type { CarrierLogin } from '../../foundation/telephony-settings.ts'
import { cutToLine } from '../../foundation/text.ts'
import type { Orgs } from '../../people/orgs/orgs.ts'
import type { CarrierAddress, CarrierBundle, NumberShop, Search } from '../carriers/number-shop.ts'
import type { NumberSources } from './number-sources.ts'
import { readKind, type AskedKind } from './purchase-parsing.ts'

export interface PurchaseRequirementsParts {
  orgs: Orgs
  shop: NumberShop
  sources: NumberSources
}

/** States of a bundle that the carrier sells a number for. */
const approvedStates = new Set(['twilio-approved', 'provisionally-approved'])

/**
 * The addresses and bundles of the platform's carrier account that an org may buy with. The operator makes them at
 * the carrier. One that is named `svc-<org> …` there is that org's alone, by id or slug; any other serves every org.
 */
export class PurchaseRequirements {
  readonly #parts: PurchaseRequirementsParts

  constructor(parts: PurchaseRequirementsParts) {
    this.#parts = parts
  }

  /** Neither the street nor the person of an address is shown: it may be of another customer of the operator. */
  async list({ org }: Caller, asked: NumberKind): Promise<BuyingRequirements> {
    const kind = readKind(asked)
    const { shop, sources } = this.#parts
    const login = sources.ownLogin()
    const [regulated, addresses, bundles] = await Promise.all([
      shop.isRegulated(login, kind),
      this.#addresses(org, login),
      this.#bundles(org, login, kind),
    ])
    return {
      ...kind,
      regulated,
      addresses: addresses.map(({ sid, friendly_name, city, iso_country, validated }) => ({
        address: sid,
        name: shownName(friendly_name, city || sid),
        city,
        country: iso_country,
        validated,
      })),
      bundles: bundles.map(({ sid, friendly_name, status, valid_until }) => ({
        bundle: sid,
        name: shownName(friendly_name, sid),
        status,
        approved: approvedStates.has(status),
        valid_until: valid_until ?? null,
      })),
    }
  }

  /** Which numbers an address suffices for; refuses one that is not for this org. */
  async reachOf(
    org: string,
    login: CarrierLogin,
    { country }: AskedKind,
    address: string | undefined,
  ): Promise<NonNullable<Search['address']>> {
    if (address === undefined || address === 'none') return 'none'
    const found = (await this.#addresses(org, login)).find(({ sid }) => sid === address)
    if (!found) throw notFound(unlisted('address', address))
    return found.iso_country === country ? 'local' : 'foreign'
  }

  /** Refuses a bundle that is not for this org and for such numbers, or that the carrier has not approved. */
  async refuseBundle(org: string, login: CarrierLogin, kind: AskedKind, bundle: string | undefined) {
    if (bundle === undefined) return
    const found = (await this.#bundles(org, login, kind)).find(({ sid }) => sid === bundle)
    if (!found) throw notFound(`${unlisted('bundle', bundle)} of ${kind.type} numbers in ${kind.country}`)
    if (!approvedStates.has(found.status))
      throw conflict(
        `the bundle ${bundle} is ${found.status}: a number is bought once the carrier has approved it`,
      )
  }

  async #addresses(org: string, login: CarrierLogin): Promise<CarrierAddress[]> {
    return this.#ofOrg(org, await this.#parts.shop.addresses(login))
  }

  async #bundles(org: string, login: CarrierLogin, kind: AskedKind): Promise<CarrierBundle[]> {
    return this.#ofOrg(org, await this.#parts.shop.bundles(login, kind))
  }

  async #ofOrg<Named extends { friendly_name: string | null }>(org: string, all: Named[]): Promise<Named[]> {
    const { id, slug } = await this.#parts.orgs.find(org)
    return all.filter(({ friendly_name }) => {
      const only = ownerForm.exec(friendly_name ?? '')?.[1]
      return only === undefined || only === id || only === slug
    })
  }
}

const ownerForm = /^svc-(\S+)\s*/

const shownName = (name: string | null, whenBlank: string) =>
  cutToLine((name ?? '').replace(ownerForm, ''), whenBlank)

const unlisted = (field: 'address' | 'bundle', id: string) =>
  `the platform's carrier account has no ${field} ${id} for this org: choose one that GET /v1/numbers/requirements lists`

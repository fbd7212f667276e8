import type { AddressNeed, NumberType } from '@switchroom/contract/numbers'
import type { CarrierLogin } from '../../foundation/telephony-settings.ts'
import type { CarrierNumber } from './api-carrier.ts'
import type { CarrierClient } from './carrier-client.ts'
import { WireFailure } from './carrier-wire.ts'

/** A number that the carrier sells. */
export interface OfferedNumber {
  phone_number: string
  friendly_name: string
  locality: string | null
  region: string | null
  /** Which address its buyer has to name: `none`, `any`, `local` (of its country) or `foreign`. */
  address_requirements: AddressNeed
}

/** An address of the account, by which its owner is known to the carrier. */
export interface CarrierAddress {
  sid: string
  friendly_name: string | null
  city: string
  iso_country: string
  validated: boolean
}

/** Documents that a regulated number is bought with. */
export interface CarrierBundle {
  sid: string
  friendly_name: string
  status: string
  valid_until: string | null
}

export interface Search {
  country: string
  type: NumberType
  areaCode?: string
  /** Digits or letters that it contains; `*` is any digit. */
  contains?: string
  /** Leaves out what an address of this kind does not suffice for; unset, everything is found. */
  address?: 'none' | 'local' | 'foreign'
  /** At most so many. */
  limit: number
}

const listNames: Record<NumberType, string> = {
  local: 'Local',
  mobile: 'Mobile',
  national: 'National',
  'toll-free': 'TollFree',
}

const exclusions = {
  none: 'ExcludeAllAddressRequired',
  local: 'ExcludeForeignAddressRequired',
  foreign: 'ExcludeLocalAddressRequired',
} as const

/** Numbers for sale at the carrier, what a purchase needs, and the purchase and its end. */
export class NumberShop {
  readonly #client: CarrierClient

  constructor(client: CarrierClient) {
    this.#client = client
  }

  /** What is for sale, in the carrier's order. */
  async search(login: CarrierLogin, wanted: Search): Promise<OfferedNumber[]> {
    const asked = new URLSearchParams({
      ...(wanted.areaCode !== undefined && { AreaCode: wanted.areaCode }),
      ...(wanted.contains !== undefined && { Contains: wanted.contains }),
      VoiceEnabled: 'true',
      ...(wanted.address !== undefined && { [exclusions[wanted.address]]: 'true' }),
      PageSize: String(wanted.limit),
    }).toString()
    const country = encodeURIComponent(wanted.country)
    const list = `AvailablePhoneNumbers/${country}/${listNames[wanted.type]}.json`
    try {
      const url = this.#client.ofAccount(login, `${list}?${asked}`)
      return await this.#client.list<OfferedNumber>(login, url, 'available_phone_numbers')
    } catch (error) {
      if (error instanceof WireFailure && error.answered === 404) return [] // it sells none of this type there
      throw error
    }
  }

  buy(
    login: CarrierLogin,
    number: string,
    { address, bundle }: { address?: string | undefined; bundle?: string | undefined } = {},
  ): Promise<CarrierNumber> {
    return this.#client.post<CarrierNumber>(
      login,
      this.#client.ofAccount(login, 'IncomingPhoneNumbers.json'),
      {
        PhoneNumber: number,
        ...(address !== undefined && { AddressSid: address }),
        ...(bundle !== undefined && { BundleSid: bundle }),
      },
    )
  }

  /** Ends the account's right to a number: the carrier may sell it to others. By sid, which a number bought again has anew. */
  async release(login: CarrierLogin, sid: string): Promise<void> {
    try {
      const path = `IncomingPhoneNumbers/${encodeURIComponent(sid)}.json`
      await this.#client.delete(login, this.#client.ofAccount(login, path))
    } catch (error) {
      if (!(error instanceof WireFailure) || error.answered !== 404) throw error // gone already
    }
  }

  /** Of every country: some numbers need one elsewhere. */
  addresses(login: CarrierLogin): Promise<CarrierAddress[]> {
    const first = this.#client.ofAccount(login, 'Addresses.json?PageSize=100')
    return this.#client.all<CarrierAddress>(login, first, 'addresses')
  }

  /** Those for numbers of a country and a type, in every state. */
  bundles(login: CarrierLogin, of: { country: string; type: NumberType }): Promise<CarrierBundle[]> {
    const asked = `RegulatoryCompliance/Bundles?${kindOf(of)}&PageSize=100`
    return this.#client.all<CarrierBundle>(login, this.#client.ofNumbers(asked), 'results')
  }

  /** Whether numbers of a country and a type are sold with a bundle alone. */
  async isRegulated(login: CarrierLogin, of: { country: string; type: NumberType }): Promise<boolean> {
    const asked = this.#client.ofNumbers(`RegulatoryCompliance/Regulations?${kindOf(of)}&PageSize=1`)
    return (await this.#client.list(login, asked, 'results')).length > 0
  }
}

const kindOf = ({ country, type }: { country: string; type: NumberType }) =>
  new URLSearchParams({ IsoCountry: country, NumberType: type }).toString()

import { randomBytes } from 'node:crypto'
import type { AddressNeed, NumberType } from '@switchroom/contract/numbers'

export const newSid = (prefix: string) => prefix + randomBytes(16).toString('hex')

export interface NumberFake {
  sid: string
  phone_number: string
  friendly_name: string
  trunk_sid: string | null
  /** What it was bought with. */
  address_sid: string | null
  bundle_sid: string | null
}

/** What the carrier asks of the buyer of a number; a local number without an address if a test says nothing. */
export interface TermsFake {
  type: NumberType
  address: AddressNeed
  locality: string | null
  region: string | null
}

export interface AddressFake {
  sid: string
  friendly_name: string | null
  customer_name: string
  street: string
  city: string
  postal_code: string
  iso_country: string
}

export interface BundleFake {
  sid: string
  friendly_name: string
  country: string
  type: NumberType
  status: string
}

export interface TrunkFake {
  sid: string
  friendly_name: string
  domain_name: string | null
  origination: { sid: string; sip_url: string; enabled: boolean }[]
  /** Sids. */
  credentialLists: string[]
}

export interface CredentialListFake {
  sid: string
  friendly_name: string
  credentials: { sid: string; username: string; password: string }[]
}

/** One account at the carrier and everything in it. */
export class CarrierAccountFake {
  readonly sid = newSid('AC')
  /** Opens it together with its own sid. */
  token = randomBytes(16).toString('hex')
  /** Secrets of its API keys, which may not read the account itself. */
  readonly keys = new Map<string, string>()
  readonly numbers: NumberFake[] = []
  readonly trunks: TrunkFake[] = []
  readonly credentialLists: CredentialListFake[] = []
  readonly addresses: AddressFake[] = []
  readonly bundles: BundleFake[] = []
  readonly texts: { to: string; from: string; body: string }[] = []

  /** What PUT /v1/carrier takes, with the account's own token. */
  get login() {
    return { account_sid: this.sid, user: this.sid, secret: this.token }
  }

  /** The same with a new API key. */
  newKey() {
    const [user, secret] = [newSid('SK'), randomBytes(16).toString('hex')]
    this.keys.set(user, secret)
    return { account_sid: this.sid, user, secret }
  }

  addNumber(phone_number: string, trunk?: TrunkFake): NumberFake {
    const added = {
      sid: newSid('PN'),
      phone_number,
      friendly_name: `Line ${phone_number.slice(-4)}`,
      trunk_sid: trunk?.sid ?? null,
      address_sid: null,
      bundle_sid: null,
    }
    this.numbers.push(added)
    return added
  }

  addAddress(iso_country: string, friendly_name: string | null, city = 'Berlin'): AddressFake {
    const added = {
      sid: newSid('AD'),
      friendly_name,
      customer_name: 'Erika Mustermann',
      street: 'Heidestraße 17',
      city,
      postal_code: '10557',
      iso_country,
    }
    this.addresses.push(added)
    return added
  }

  addBundle(
    country: string,
    type: NumberType,
    status = 'twilio-approved',
    friendly_name?: string,
  ): BundleFake {
    const name = friendly_name ?? `${country} ${type}`
    const added = { sid: newSid('BU'), friendly_name: name, country, type, status }
    this.bundles.push(added)
    return added
  }

  addTrunk(friendly_name: string, ...sipUrls: string[]): TrunkFake {
    const origination = sipUrls.map((sip_url) => ({ sid: newSid('OU'), sip_url, enabled: true }))
    const added = { sid: newSid('TK'), friendly_name, domain_name: null, origination, credentialLists: [] }
    this.trunks.push(added)
    return added
  }

  opensTo(user: string, secret: string): 'owner' | 'key' | undefined {
    if (user === this.sid && secret === this.token) return 'owner'
    return secret !== '' && this.keys.get(user) === secret ? 'key' : undefined
  }
}

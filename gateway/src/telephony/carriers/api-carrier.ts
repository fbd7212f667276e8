import type { CarrierLogin } from '../../foundation/telephony-settings.ts'
import type { CarrierClient } from './carrier-client.ts'

/** A number that an account at the carrier owns. */
export interface CarrierNumber {
  sid: string
  phone_number: string
  friendly_name: string
  trunk_sid: string | null
}

export interface CarrierTrunk {
  sid: string
  friendly_name: string
  /** Its termination host. */
  domain_name: string | null
}

export interface OriginationUrl {
  sid: string
  sip_url: string
  enabled: boolean
}

export interface CredentialList {
  sid: string
  friendly_name: string
}

export interface Credential {
  sid: string
  username: string
}

/** The longest friendly name that the carrier keeps. */
const longestName = 64
export const friendlyName = (name: string) => name.slice(0, longestName)

/** What an account at the carrier owns: numbers, trunks, credentials; and its texts. */
export class ApiCarrier {
  readonly #client: CarrierClient

  constructor(client: CarrierClient) {
    this.#client = client
  }

  /** Throws unless the carrier opens the account to this pair; the account itself is closed to an ordinary API key. */
  async open(login: CarrierLogin): Promise<void> {
    await this.#client.get(login, this.#client.ofAccount(login, 'IncomingPhoneNumbers.json?PageSize=1'))
  }

  numbers(login: CarrierLogin): Promise<CarrierNumber[]> {
    const first = this.#client.ofAccount(login, 'IncomingPhoneNumbers.json?PageSize=100')
    return this.#client.all<CarrierNumber>(login, first, 'incoming_phone_numbers')
  }

  async findNumber(login: CarrierLogin, number: string): Promise<CarrierNumber | undefined> {
    const asked = new URLSearchParams({ PhoneNumber: number, PageSize: '100' }).toString()
    const first = this.#client.ofAccount(login, `IncomingPhoneNumbers.json?${asked}`)
    const found = await this.#client.all<CarrierNumber>(login, first, 'incoming_phone_numbers')
    return found.find(({ phone_number }) => phone_number === number) // the carrier also answers numbers that contain it
  }

  trunks(login: CarrierLogin): Promise<CarrierTrunk[]> {
    const first = this.#client.ofTrunking('Trunks?PageSize=100')
    return this.#client.all<CarrierTrunk>(login, first, 'trunks')
  }

  makeTrunk(login: CarrierLogin, name: string): Promise<CarrierTrunk> {
    return this.#client.post<CarrierTrunk>(login, this.#client.ofTrunking('Trunks'), {
      FriendlyName: friendlyName(name),
    })
  }

  setDomain(login: CarrierLogin, trunk: string, domainName: string): Promise<CarrierTrunk> {
    return this.#client.post<CarrierTrunk>(login, this.#trunk(trunk), { DomainName: domainName })
  }

  originationUrls(login: CarrierLogin, trunk: string): Promise<OriginationUrl[]> {
    const first = `${this.#trunk(trunk)}/OriginationUrls?PageSize=100`
    return this.#client.all<OriginationUrl>(login, first, 'origination_urls')
  }

  addOrigination(login: CarrierLogin, trunk: string, url: string): Promise<OriginationUrl> {
    return this.#client.post<OriginationUrl>(login, `${this.#trunk(trunk)}/OriginationUrls`, {
      FriendlyName: friendlyName(url),
      SipUrl: url,
      Priority: '10',
      Weight: '10',
      Enabled: 'true',
    })
  }

  async attach(login: CarrierLogin, trunk: string, numberSid: string): Promise<void> {
    await this.#client.post(login, `${this.#trunk(trunk)}/PhoneNumbers`, { PhoneNumberSid: numberSid })
  }

  async detach(login: CarrierLogin, trunk: string, numberSid: string): Promise<void> {
    await this.#client.delete(login, `${this.#trunk(trunk)}/PhoneNumbers/${encodeURIComponent(numberSid)}`)
  }

  credentialLists(login: CarrierLogin): Promise<CredentialList[]> {
    const first = this.#client.ofAccount(login, 'SIP/CredentialLists.json?PageSize=100')
    return this.#client.all<CredentialList>(login, first, 'credential_lists')
  }

  makeCredentialList(login: CarrierLogin, name: string): Promise<CredentialList> {
    const url = this.#client.ofAccount(login, 'SIP/CredentialLists.json')
    return this.#client.post<CredentialList>(login, url, { FriendlyName: friendlyName(name) })
  }

  credentials(login: CarrierLogin, list: string): Promise<Credential[]> {
    const first = `${this.#credentials(login, list)}?PageSize=100`
    return this.#client.all<Credential>(login, first, 'credentials')
  }

  async makeCredential(
    login: CarrierLogin,
    list: string,
    { username, password }: { username: string; password: string },
  ): Promise<void> {
    const form = { Username: username, Password: password }
    await this.#client.post(login, this.#credentials(login, list), form, [password])
  }

  /** The credential lists that open a trunk. */
  trunkCredentialLists(login: CarrierLogin, trunk: string): Promise<CredentialList[]> {
    const first = `${this.#trunk(trunk)}/CredentialLists?PageSize=100`
    return this.#client.all<CredentialList>(login, first, 'credential_lists')
  }

  async addCredentialList(login: CarrierLogin, trunk: string, list: string): Promise<void> {
    await this.#client.post(login, `${this.#trunk(trunk)}/CredentialLists`, { CredentialListSid: list })
  }

  async sendText(login: CarrierLogin, text: { to: string; from: string; body: string }): Promise<void> {
    const form = { To: text.to, From: text.from, Body: text.body }
    await this.#client.post(login, this.#client.ofAccount(login, 'Messages.json'), form, [text.body])
  }

  #trunk = (sid: string) => this.#client.ofTrunking(`Trunks/${encodeURIComponent(sid)}`)

  #credentials = (login: CarrierLogin, list: string) =>
    this.#client.ofAccount(login, `SIP/CredentialLists/${encodeURIComponent(list)}/Credentials.json`)
}

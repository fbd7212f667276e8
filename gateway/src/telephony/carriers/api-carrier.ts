import type { CarrierLogin, TelephonySettings } from '../../foundation/telephony-settings.ts'
import { Wire, WireFailure, type WireOptions } from './carrier-wire.ts'

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

type Body = Record<string, unknown>

/** The longest friendly name that the carrier keeps. */
const longestName = 64
export const friendlyName = (name: string) => name.slice(0, longestName)

/** The carrier's REST API, for any account; every failure is thrown as a `WireFailure`. */
export class ApiCarrier {
  readonly #accountApi: string
  readonly #trunkingApi: string
  readonly #wire: Wire

  constructor(bases: TelephonySettings['apiCarrier'], options: WireOptions = {}) {
    this.#accountApi = bases.accountApi
    this.#trunkingApi = bases.trunkingApi
    this.#wire = new Wire('the carrier', (body) => (body as Body | undefined)?.['message'], options)
  }

  /** Throws unless the carrier opens the account to this pair; the account itself is closed to an ordinary API key. */
  async open(login: CarrierLogin): Promise<void> {
    await this.#get(login, `${this.#account(login)}/IncomingPhoneNumbers.json?PageSize=1`)
  }

  numbers(login: CarrierLogin): Promise<CarrierNumber[]> {
    const first = `${this.#account(login)}/IncomingPhoneNumbers.json?PageSize=100`
    return this.#all<CarrierNumber>(login, first, 'incoming_phone_numbers')
  }

  async findNumber(login: CarrierLogin, number: string): Promise<CarrierNumber | undefined> {
    const asked = new URLSearchParams({ PhoneNumber: number, PageSize: '100' }).toString()
    const first = `${this.#account(login)}/IncomingPhoneNumbers.json?${asked}`
    const found = await this.#all<CarrierNumber>(login, first, 'incoming_phone_numbers')
    return found.find(({ phone_number }) => phone_number === number) // the carrier also answers numbers that contain it
  }

  /** What is for sale, the first alone. */
  async search(login: CarrierLogin, wanted: { country: string; areaCode?: string }): Promise<string[]> {
    const asked = new URLSearchParams({
      ...(wanted.areaCode !== undefined && { AreaCode: wanted.areaCode }),
      VoiceEnabled: 'true',
      PageSize: '1',
    })
    const country = encodeURIComponent(wanted.country.toUpperCase())
    const url = `${this.#account(login)}/AvailablePhoneNumbers/${country}/Local.json?${asked.toString()}`
    try {
      const found = listIn<{ phone_number: string }>(await this.#get(login, url), 'available_phone_numbers')
      return found.map(({ phone_number }) => phone_number)
    } catch (error) {
      if (error instanceof WireFailure && error.answered === 404) return [] // it sells nothing in that country
      throw error
    }
  }

  buy(login: CarrierLogin, number: string): Promise<CarrierNumber> {
    const url = `${this.#account(login)}/IncomingPhoneNumbers.json`
    return this.#post<CarrierNumber>(login, url, { PhoneNumber: number })
  }

  trunks(login: CarrierLogin): Promise<CarrierTrunk[]> {
    return this.#all<CarrierTrunk>(login, `${this.#trunkingApi}/v1/Trunks?PageSize=100`, 'trunks')
  }

  makeTrunk(login: CarrierLogin, name: string): Promise<CarrierTrunk> {
    return this.#post<CarrierTrunk>(login, `${this.#trunkingApi}/v1/Trunks`, {
      FriendlyName: friendlyName(name),
    })
  }

  setDomain(login: CarrierLogin, trunk: string, domainName: string): Promise<CarrierTrunk> {
    return this.#post<CarrierTrunk>(login, this.#trunk(trunk), { DomainName: domainName })
  }

  originationUrls(login: CarrierLogin, trunk: string): Promise<OriginationUrl[]> {
    const first = `${this.#trunk(trunk)}/OriginationUrls?PageSize=100`
    return this.#all<OriginationUrl>(login, first, 'origination_urls')
  }

  addOrigination(login: CarrierLogin, trunk: string, url: string): Promise<OriginationUrl> {
    return this.#post<OriginationUrl>(login, `${this.#trunk(trunk)}/OriginationUrls`, {
      FriendlyName: friendlyName(url),
      SipUrl: url,
      Priority: '10',
      Weight: '10',
      Enabled: 'true',
    })
  }

  async attach(login: CarrierLogin, trunk: string, numberSid: string): Promise<void> {
    await this.#post(login, `${this.#trunk(trunk)}/PhoneNumbers`, { PhoneNumberSid: numberSid })
  }

  async detach(login: CarrierLogin, trunk: string, numberSid: string): Promise<void> {
    const url = `${this.#trunk(trunk)}/PhoneNumbers/${encodeURIComponent(numberSid)}`
    await this.#wire.ask({ method: 'DELETE', url, ...as(login) })
  }

  credentialLists(login: CarrierLogin): Promise<CredentialList[]> {
    const first = `${this.#account(login)}/SIP/CredentialLists.json?PageSize=100`
    return this.#all<CredentialList>(login, first, 'credential_lists')
  }

  makeCredentialList(login: CarrierLogin, name: string): Promise<CredentialList> {
    const url = `${this.#account(login)}/SIP/CredentialLists.json`
    return this.#post<CredentialList>(login, url, { FriendlyName: friendlyName(name) })
  }

  credentials(login: CarrierLogin, list: string): Promise<Credential[]> {
    return this.#all<Credential>(login, `${this.#credentials(login, list)}?PageSize=100`, 'credentials')
  }

  async makeCredential(
    login: CarrierLogin,
    list: string,
    { username, password }: { username: string; password: string },
  ): Promise<void> {
    const form = { Username: username, Password: password }
    await this.#post(login, this.#credentials(login, list), form, [password])
  }

  /** The credential lists that open a trunk. */
  trunkCredentialLists(login: CarrierLogin, trunk: string): Promise<CredentialList[]> {
    const first = `${this.#trunk(trunk)}/CredentialLists?PageSize=100`
    return this.#all<CredentialList>(login, first, 'credential_lists')
  }

  async addCredentialList(login: CarrierLogin, trunk: string, list: string): Promise<void> {
    await this.#post(login, `${this.#trunk(trunk)}/CredentialLists`, { CredentialListSid: list })
  }

  async sendText(login: CarrierLogin, text: { to: string; from: string; body: string }): Promise<void> {
    const form = { To: text.to, From: text.from, Body: text.body }
    await this.#post(login, `${this.#account(login)}/Messages.json`, form, [text.body])
  }

  #account = ({ account_sid }: CarrierLogin) =>
    `${this.#accountApi}/2010-04-01/Accounts/${encodeURIComponent(account_sid)}`

  #trunk = (sid: string) => `${this.#trunkingApi}/v1/Trunks/${encodeURIComponent(sid)}`

  #credentials = (login: CarrierLogin, list: string) =>
    `${this.#account(login)}/SIP/CredentialLists/${encodeURIComponent(list)}/Credentials.json`

  async #get(login: CarrierLogin, url: string): Promise<Body> {
    return objectOf(await this.#wire.ask({ url, ...as(login) }))
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the carrier's documents say what each path answers
  async #post<Made>(
    login: CarrierLogin,
    url: string,
    form: Record<string, string>,
    secrets: string[] = [],
  ): Promise<Made> {
    const { authorization, secrets: own } = as(login)
    const asked = { method: 'POST', url, form, authorization, secrets: [...own, ...secrets] } as const
    return objectOf(await this.#wire.ask(asked)) as Made
  }

  /** Every page: the account API names the next by `next_page_uri`, the trunking API by `meta.next_page_url`. */
  async #all<Item>(login: CarrierLogin, first: string, name: string): Promise<Item[]> {
    const items: Item[] = []
    const read = new Set<string>()
    for (let url: string | undefined = first; url !== undefined;) {
      if (read.has(url)) throw outOfLine()
      read.add(url)
      const page = await this.#get(login, url)
      items.push(...listIn<Item>(page, name))
      url = this.#following(url, page)
    }
    return items
  }

  #following(url: string, page: Body): string | undefined {
    const next = page['next_page_uri'] ?? (page['meta'] as Body | undefined)?.['next_page_url']
    if (next === null || next === undefined || next === '') return undefined
    const base = url.startsWith(`${this.#accountApi}/2010-04-01/`) ? this.#accountApi : this.#trunkingApi
    const whole = typeof next === 'string' && /^\/(?!\/)/.test(next) ? base + next : next
    // The credentials go with it, so it stays where the operator said the carrier is.
    if (typeof whole !== 'string' || !URL.canParse(whole) || new URL(whole).origin !== new URL(base).origin)
      throw outOfLine()
    return whole
  }
}

const outOfLine = () => new WireFailure('the carrier', 200)

const as = ({ user, secret }: CarrierLogin) => {
  const pair = Buffer.from(`${user}:${secret}`).toString('base64')
  return { authorization: `Basic ${pair}`, secrets: [secret, pair] }
}

function objectOf(body: unknown): Body {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw outOfLine()
  return body as Body
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the carrier's documents say what each list holds
function listIn<Item>(page: Body, name: string): Item[] {
  const list = page[name]
  if (!Array.isArray(list)) throw outOfLine()
  return list as Item[]
}

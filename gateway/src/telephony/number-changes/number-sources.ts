import type { NumberChannel } from '@switchroom/contract/numbers'
import { badRequest, notFound, unavailable } from '../../foundation/refusals.ts'
import type { CarrierLogin, TelephonySettings } from '../../foundation/telephony-settings.ts'
import { cutToLine } from '../../foundation/text.ts'
import type { CarrierAccounts, FindMessagingNumber } from '../carriers/accounts.ts'
import type { ApiCarrier, CarrierNumber } from '../carriers/api-carrier.ts'
import { WireFailure } from '../carriers/carrier-wire.ts'
import type { Comes } from './number-parsing.ts'
import type { Wanted } from './number-routing.ts'

/** Where a number comes from, and what it is called there. */
export interface Found extends Pick<
  Wanted,
  'origin' | 'via' | 'account' | 'account_kind' | 'networks' | 'label'
> {
  /** The account at the API carrier that the platform configures. */
  login?: CarrierLogin
}

export interface NumberSourcesParts {
  accounts: CarrierAccounts
  carrier: ApiCarrier
  findMessagingNumber: FindMessagingNumber
  settings: Pick<TelephonySettings, 'ownCarrier'>
}

/** Asks the account that a number is in whether it owns it; nothing is written. */
export class NumberSources {
  readonly #parts: NumberSourcesParts

  constructor(parts: NumberSourcesParts) {
    this.#parts = parts
  }

  /** The platform's own account, on which numbers are bought. */
  ownLogin(): CarrierLogin {
    const { ownCarrier } = this.#parts.settings
    if (!ownCarrier)
      throw unavailable('this platform has no carrier account of its own: set SVC_CARRIER_ACCOUNT_SID')
    return ownCarrier
  }

  /** A number that the platform bought. */
  async managed(number: string): Promise<Found> {
    const login = this.ownLogin()
    const owned = await this.owned(login, number)
    return { ...bought(labelOf(owned)), login }
  }

  /** A number that the org points here itself. */
  hooked(number: string, { via, networks }: Comes): Found {
    return { origin: 'hooked', via, account: null, account_kind: null, networks, label: number }
  }

  /** A number in an account of the org. */
  async inAccount(
    org: string,
    channel: NumberChannel,
    number: string,
    named: string | undefined,
  ): Promise<Found> {
    const { accounts } = this.#parts
    const { account, kind, networks } = await accounts.findServing(org, channel, named)
    const found: Found = {
      origin: 'imported',
      via: null,
      account,
      account_kind: kind,
      networks,
      label: number,
    }
    if (kind === 'sip') return found // a peer cannot be asked what it owns
    const opened = await accounts.opened(org, account)
    if (opened?.kind === 'msgapp') {
      const label = await this.#messagingName(account, opened.access_token, number)
      return { ...found, networks: [], label }
    }
    if (opened?.kind !== 'apicarrier') throw notOwned(account, number)
    const { account_sid, user, secret } = opened
    const login = { account_sid, user, secret }
    return { ...found, networks: [], label: labelOf(await this.owned(login, number)), login }
  }

  /** An extension of a SIP account of the org. */
  async extension(org: string, extension: string, named: string | undefined): Promise<Found> {
    const { account, kind, networks } = await this.#parts.accounts.findServing(org, 'phone', named)
    if (kind !== 'sip')
      throw badRequest(`account: ${account} is no SIP account, and extensions are those of a PBX`)
    const label = `${extension}@${account}`
    return { origin: 'imported', via: null, account, account_kind: kind, networks, label }
  }

  /** The number as the carrier has it now. */
  async owned(login: CarrierLogin, number: string): Promise<CarrierNumber> {
    const owned = await this.#parts.carrier.findNumber(login, number)
    if (!owned) throw notOwned(login.account_sid, number)
    return owned
  }

  async #messagingName(account: string, token: string, number: string): Promise<string> {
    const answer = await this.#parts.findMessagingNumber(account, token).catch((error: unknown) => {
      if (!(error instanceof WireFailure) || !error.isRefused) throw error
      throw notFound(`the messaging platform does not open account ${account}: put its access_token again`)
    })
    if (answer.number !== number) throw notOwned(account, number)
    return cutToLine(answer.name, number)
  }
}

/** A number that the platform bought is in no account of the org. */
export const bought = (label: string): Found => ({
  origin: 'bought',
  via: null,
  account: null,
  account_kind: null,
  networks: [],
  label,
})

export const labelOf = ({ friendly_name, phone_number }: CarrierNumber) =>
  cutToLine(friendly_name, phone_number)

const notOwned = (account: string, number: string) => notFound(`account ${account} has no number ${number}`)

import type { CarrierAccounts } from '../../telephony/carriers/accounts.ts'

/** The access tokens for the platform's API. */
export class AccessTokens {
  readonly #accounts: CarrierAccounts
  readonly #platforms: string | undefined

  constructor(accounts: CarrierAccounts, platforms: string | undefined) {
    this.#accounts = accounts
    this.#platforms = platforms
  }

  /** The org's own if it has an account for the number, else the deployment's; undefined if there is none. */
  async tokenFor(org: string, phoneNumberId: string): Promise<string | undefined> {
    const account = await this.#accounts.opened(org, phoneNumberId)
    return account?.kind === 'msgapp' && !account.forgotten ? account.access_token : this.#platforms
  }
}

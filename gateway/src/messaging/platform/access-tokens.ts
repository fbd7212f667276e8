import type { CarrierAccounts } from '../../telephony/carriers/accounts.ts'

/** What the platform's API is asked on. */
export class AccessTokens {
  readonly #accounts: CarrierAccounts
  readonly #platforms: string | undefined

  constructor(accounts: CarrierAccounts, platforms: string | undefined) {
    this.#accounts = accounts
    this.#platforms = platforms
  }

  /** The org's own where it has an account for the number, else the platform's; undefined where there is none. */
  async tokenFor(org: string, phoneNumberId: string): Promise<string | undefined> {
    const account = await this.#accounts.opened(org, phoneNumberId)
    return account?.kind === 'msgapp' && !account.forgotten ? account.access_token : this.#platforms
  }
}

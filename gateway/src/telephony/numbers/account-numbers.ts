import { carrierKinds } from '@switchroom/contract/carriers'
import type { AvailableNumbers } from '@switchroom/contract/numbers'
import type { Logger } from 'pino'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { notFound } from '../../foundation/refusals.ts'
import type { CarrierAccounts, FindMessagingNumber } from '../carriers/accounts.ts'
import type { ApiCarrier } from '../carriers/api-carrier.ts'
import { WireFailure } from '../carriers/carrier-wire.ts'
import { listImported } from './numbers.store.ts'

export interface AccountNumbersParts {
  database: Database
  logger: Logger
  accounts: CarrierAccounts
  carrier: ApiCarrier
  findMessagingNumber: FindMessagingNumber
}

interface AccountNumber {
  number: string | null
  name: string | null
  account: string
}

/** The numbers that the org's accounts own, imported or not. */
export class AccountNumbers {
  readonly #parts: AccountNumbersParts

  constructor(parts: AccountNumbersParts) {
    this.#parts = parts
  }

  /** Accounts oldest first, the numbers of each in its carrier's order. */
  async list({ org, env }: Caller): Promise<AvailableNumbers> {
    const { database, accounts } = this.#parts
    const { carriers } = await accounts.list(org)
    const kinds = new Set(carriers.map(({ kind }) => kind))
    const kind = carrierKinds.find((known) => kinds.has(known))
    if (!kind) throw notFound('this org holds no carrier account: add one with PUT /v1/carrier')
    const owned = (await Promise.all(carriers.map(({ account }) => this.#ownedBy(org, account)))).flat()
    const numbers = owned.flatMap(({ number }) => number ?? [])
    const imported = await listImported(database, { org, env }, numbers)
    return {
      kind,
      numbers: owned.map(({ number, name, account }) => ({
        number,
        name,
        imported: number !== null && imported.has(number),
        account,
      })),
    }
  }

  async #ownedBy(org: string, account: string): Promise<AccountNumber[]> {
    const { accounts, carrier } = this.#parts
    const opened = await accounts.opened(org, account)
    if (opened?.kind === 'msgapp') return [await this.#messagingNumber(org, account, opened.access_token)]
    if (opened?.kind !== 'apicarrier') return []
    const numbers = await carrier.numbers(opened)
    return numbers.map(({ phone_number, friendly_name }) => ({
      number: phone_number,
      name: friendly_name,
      account,
    }))
  }

  /** A token that the platform refuses leaves the account listed with no number. */
  async #messagingNumber(org: string, account: string, token: string): Promise<AccountNumber> {
    try {
      return { ...(await this.#parts.findMessagingNumber(account, token)), account }
    } catch (error) {
      if (!(error instanceof WireFailure) || !error.isRefused) throw error
      const said = error.message
      this.#parts.logger.warn({ org, account, said }, 'the messaging platform does not open an account')
      return { number: null, name: null, account }
    }
  }
}

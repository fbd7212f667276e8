import type {
  BuyingRequirements,
  BuyNumber,
  ForSaleAsked,
  ImportedNumber,
  NumberEntry,
  NumberKind,
  NumberList,
  NumbersForSale,
  NumberType,
} from '@switchroom/contract/numbers'
import { Address, type AddressOptions } from './address.ts'
import { SwitchroomError } from './errors.ts'
import { refusalIn } from './gateway-refusal.ts'

type Typed<Asked> = Omit<Asked, 'type'> & { type?: NumberType }

export type NumberSearchOptions = Typed<Omit<ForSaleAsked, 'limit'>> & {
  /** 1 to 100. Default: 20. */
  limit?: number
}
export type BuyNumberOptions = Typed<Omit<BuyNumber, 'channel'>> & {
  /** Answers the steps and buys nothing. */
  dryRun?: boolean
}
export type NumberForSale = NumbersForSale['numbers'][number]

export interface ReleaseNumberOptions {
  /** Also ends the purchase of a bought number: the carrier may sell it to others. Default: false. */
  atCarrier?: boolean
}

/** The phone numbers of an org: searches, buys and releases them. Its key opens `numbers`. */
export class NumbersClient {
  readonly #address: Address

  constructor(options: AddressOptions = {}) {
    this.#address = new Address(options)
  }

  /** The numbers of the environment, oldest first. */
  async list(): Promise<NumberEntry[]> {
    return (await this.#ask<NumberList>('GET', '/v1/numbers')).numbers
  }

  /** Numbers for sale, to choose from. */
  async search(options: NumberSearchOptions): Promise<NumberForSale[]> {
    return (await this.#ask<NumbersForSale>('GET', `/v1/numbers/for-sale${queryOf(options)}`)).numbers
  }

  /** The addresses and bundles that numbers of a country and a type can be bought with. */
  requirements(kind: Typed<NumberKind>): Promise<BuyingRequirements> {
    return this.#ask<BuyingRequirements>('GET', `/v1/numbers/requirements${queryOf(kind)}`)
  }

  /** Buys the number that it names, or else the first that is found, and routes it to the agent. */
  buy({ dryRun = false, ...body }: BuyNumberOptions): Promise<ImportedNumber> {
    return this.#ask<ImportedNumber>('POST', `/v1/numbers/buy${queryOf({ dry_run: dryRun })}`, body)
  }

  /** Removes the number from the org. */
  async release(number: string, { atCarrier = false }: ReleaseNumberOptions = {}): Promise<void> {
    const query = queryOf({ at_carrier: atCarrier })
    await this.#ask('DELETE', `/v1/numbers/${encodeURIComponent(number)}${query}`)
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the contract says what each path answers
  async #ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const { url, headers } = this.#address
    const response = await fetch(url + path, {
      method,
      headers: {
        ...headers,
        accept: 'application/json',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    }).catch((cause: unknown) => {
      const sentence = `the gateway at ${url} cannot be reached: check its address and that it is running`
      throw new SwitchroomError('NETWORK_ERROR', sentence, { cause })
    })
    const text = await response.text()
    if (!response.ok) throw refusalIn(response.status, text)
    return (text === '' ? undefined : JSON.parse(text)) as Answer
  }
}

/** Without what is not set. */
function queryOf(asked: Record<string, string | number | boolean | undefined>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(asked))
    if (value !== undefined && value !== false) query.set(name, String(value))
  return query.size === 0 ? '' : `?${query.toString()}`
}

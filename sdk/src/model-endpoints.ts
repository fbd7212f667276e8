import type {
  ChangeEndpoint,
  CreateEndpoint,
  EndpointList,
  ModelEndpoint,
  TriedEndpoint,
} from '@switchroom/contract/model-endpoints'
import { Address, type AddressOptions } from './address.ts'

const at = '/v1/model-endpoints'

/** The org's own model endpoints of one environment, which agents use as `custom/<name>`. */
export class ModelEndpoints {
  readonly #address: Address

  /** The key must open `providers`. */
  constructor(options: AddressOptions = {}) {
    this.#address = new Address(options)
  }

  async list(): Promise<ModelEndpoint[]> {
    return (await this.#address.ask<EndpointList>('GET', at)).endpoints
  }

  read(name: string): Promise<ModelEndpoint> {
    return this.#address.ask('GET', pathOf(name))
  }

  /** Rejects with what the endpoint answered if it refuses the one request that tries it. */
  create(endpoint: CreateEndpoint): Promise<ModelEndpoint> {
    return this.#address.ask('POST', at, endpoint)
  }

  /** What is not named stays as it is. Tried like a new one. */
  change(name: string, change: ChangeEndpoint): Promise<ModelEndpoint> {
    return this.#address.ask('PATCH', pathOf(name), change)
  }

  /** Asks for one word, and answers how long it took. */
  try(name: string): Promise<TriedEndpoint> {
    return this.#address.ask('POST', `${pathOf(name)}/try`)
  }

  /** Rejects while an agent uses it. */
  async delete(name: string): Promise<void> {
    await this.#address.ask('DELETE', pathOf(name))
  }
}

const pathOf = (name: string) => `${at}/${encodeURIComponent(name)}`

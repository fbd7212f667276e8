import type { ExplainedDial } from '@switchroom/contract/dialling'
import type { DialCall, DialledCall } from '@switchroom/contract/placing'
import { Address, type AddressOptions } from './address.ts'

/** `to`, or `extension` of a SIP account; the names are those of the wire. */
export type DialOptions = DialCall

/** Has an agent call people. Its key opens `talk`. */
export class DialClient {
  readonly #address: Address

  constructor(options: AddressOptions = {}) {
    this.#address = new Address(options)
  }

  /** Answered before anything rings; how it goes is in the call's log. */
  dial(agent: string, options: DialOptions): Promise<DialledCall> {
    return this.#address.ask('POST', `${pathOf(agent)}/dial`, options)
  }

  /** What a dial would be answered now, and why: each guard with its facts. */
  explain(agent: string, to: string, { from }: { from?: string } = {}): Promise<ExplainedDial> {
    const query = new URLSearchParams({ to, ...(from !== undefined && { from }) })
    return this.#address.ask('GET', `${pathOf(agent)}/dial/explain?${query.toString()}`)
  }
}

const pathOf = (agent: string) => `/v1/agents/${encodeURIComponent(agent)}`

import type { Environment } from '@switchroom/contract/scopes'
import type { EventPage, Entry } from '@switchroom/contract/log'
import { SwitchroomError } from './errors.ts'
import { refusalIn } from './gateway-refusal.ts'

const pageSize = 1000

export interface AddressOptions {
  /** The gateway's address. Default: SVC_URL, else the address that `npm start` serves. */
  url?: string
  /** Default: SVC_KEY. */
  key?: string
  /** Default: SVC_ENV. A server token has an environment of its own. */
  env?: Environment
}

/** The address of a gateway and the headers that authenticate a request. */
export class Address {
  readonly url: string
  readonly headers: Record<string, string>

  constructor({ url, key, env }: AddressOptions) {
    const set = (name: string) => process.env[name] || undefined // an empty value is the same as unset
    const opener = key ?? set('SVC_KEY')
    if (opener === undefined) throw new SwitchroomError('NO_KEY', 'no key: set SVC_KEY or pass `key`')
    const environment = env ?? set('SVC_ENV')
    this.url = (url ?? set('SVC_URL') ?? 'http://127.0.0.1:8080').replace(/(?<!\/)\/+$/, '')
    this.headers = {
      authorization: `Bearer ${opener}`,
      ...(environment !== undefined && { 'svc-env': environment }),
    }
    if (!/^https?:\/\/[^/]/.test(this.url))
      throw new SwitchroomError(
        'BAD_URL',
        `${this.url} is not an address: it must start with http:// or https://`,
      )
  }

  socket(path: string): string {
    return this.url.replace(/^http/, 'ws') + path
  }

  /** All entries of a call's log. */
  async entries(call: string): Promise<Entry[]> {
    const entries: Entry[] = []
    for (;;) {
      const after = entries.at(-1)?.seq ?? 0
      const path = `/v1/calls/${encodeURIComponent(call)}/events?after=${after}&limit=${pageSize}`
      const page = await this.ask<EventPage>('GET', path)
      entries.push(...page.entries)
      if (page.entries.length < pageSize) return entries
    }
  }

  /** Undefined for an answer without a body. */
  async ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...this.headers,
        accept: 'application/json',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw refusalIn(response.status, text)
    return (text === '' ? undefined : JSON.parse(text)) as Answer
  }
}

import type {
  MessageTemplate,
  SendTemplate,
  TemplateList,
  TemplatesAsked,
} from '@switchroom/contract/templates'
import type { ReadMark, Thread, ThreadList, WrittenToThread } from '@switchroom/contract/threads'
import { Address, type AddressOptions } from './address.ts'
import { refusalIn } from './gateway-refusal.ts'

export type { MessageTemplate, ReadMark, SendTemplate, TemplateList, Thread, WrittenToThread }

/** Everything between agents and their contacts: read it, write as the agent, and send approved templates. */
export class ThreadsClient {
  readonly #address: Address

  constructor(options: AddressOptions = {}) {
    this.#address = new Address(options)
  }

  /** All of them, newest first; `page` reads some at a time. The key opens `calls`. */
  async list(agent: string, asked: { contact?: string; turns?: number } = {}): Promise<Thread[]> {
    const { threads } = await this.#ask<ThreadList>('GET', [agent, 'threads'], { query: asked })
    return threads
  }

  /** A page of threads, newest first; `next` is the `after` of the next one, and null on the last. */
  async page(
    agent: string,
    asked: { after?: string; limit?: number; turns?: number } = {},
  ): Promise<{ threads: Thread[]; next: string | null }> {
    const query = { limit: 50, ...asked }
    const { threads, next = null } = await this.#ask<ThreadList>('GET', [agent, 'threads'], { query })
    return { threads, next }
  }

  /** Sends a text within 24 hours of what the contact last wrote. The key opens `talk`. */
  write(agent: string, contact: string, text: string): Promise<WrittenToThread> {
    return this.#ask('POST', [agent, 'threads', contact, 'messages'], { body: { text } })
  }

  /** The templates that the messaging platform approved. The key opens `talk`. */
  templates(agent: string, asked: TemplatesAsked = {}): Promise<TemplateList> {
    return this.#ask('GET', [agent, 'templates'], { query: asked })
  }

  /** Sends a template, also later than 24 hours after the contact wrote. The key opens `talk`. */
  sendTemplate(agent: string, contact: string, template: SendTemplate): Promise<WrittenToThread> {
    return this.#ask('POST', [agent, 'threads', contact, 'templates'], { body: template })
  }

  /** Everything up to a turn is read, by the person whose key it is; the contact sees that too. */
  markRead(agent: string, contact: string, upTo?: number): Promise<ReadMark> {
    const body = upTo === undefined ? {} : { up_to: upTo }
    return this.#ask('PUT', [agent, 'threads', contact, 'read'], { body })
  }

  async #ask<Answer>(
    method: 'GET' | 'POST' | 'PUT',
    parts: readonly string[],
    { query = {}, body }: { query?: Record<string, string | number | undefined>; body?: object },
  ): Promise<Answer> {
    const { url, headers } = this.#address
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) search.set(name, String(value))
    const path = ['/v1/agents', ...parts.map(encodeURIComponent)].join('/')
    const response = await fetch(`${url}${path}${search.size > 0 ? `?${search.toString()}` : ''}`, {
      method,
      headers: {
        ...headers,
        accept: 'application/json',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw refusalIn(response.status, text)
    return JSON.parse(text) as Answer
  }
}

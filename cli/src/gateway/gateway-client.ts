import type { Environment } from '@switchroom/contract/scopes'
import type { LogEvent } from '@switchroom/sdk/log-request'
import { failureOf, reasonOf, refused, unreachable, type Failure } from '../terminal/failures.ts'

export interface GatewayOptions {
  url: string
  key?: string | undefined
  env?: Environment | undefined
}

export type Query = Record<string, string | number | boolean | undefined>

interface Sent {
  query?: Query
  body?: unknown
  headers?: Record<string, string>
  /** Default: a minute. */
  withinMs?: number
}

interface Followed {
  after: number
  /** Whether the log has a last entry: a call's has. */
  hasEnd: boolean
  onLost: (reason: string) => void
}

const answersWithinMs = 60_000

/** Requests to one gateway with one key; a refusal is thrown. */
export class GatewayClient {
  readonly url: string
  readonly key: string | undefined
  readonly env: Environment | undefined

  constructor({ url, key, env }: GatewayOptions) {
    this.url = url
    this.key = key
    this.env = env
  }

  get #headers(): Record<string, string> {
    return {
      ...(this.key !== undefined && { authorization: `Bearer ${this.key}` }),
      ...(this.env !== undefined && { 'svc-env': this.env }),
    }
  }

  get = <Answer>(path: string, query: Query = {}, headers: Record<string, string> = {}) =>
    this.#ask<Answer>('GET', path, { query, headers })
  delete = <Answer>(path: string, query: Query = {}) => this.#ask<Answer>('DELETE', path, { query })
  post = <Answer>(path: string, body?: unknown, query: Query = {}, withinMs?: number) =>
    this.#ask<Answer>('POST', path, { query, body, ...(withinMs !== undefined && { withinMs }) })
  put = <Answer>(path: string, body?: unknown) => this.#ask<Answer>('PUT', path, { body })
  patch = <Answer>(path: string, body?: unknown) => this.#ask<Answer>('PATCH', path, { body })

  /** The link of this name in the gateway's discovery document. */
  async linked(name: string): Promise<string | undefined> {
    const signal = AbortSignal.timeout(answersWithinMs)
    const { headers } = await this.fetch('GET', '/.well-known/svc', {}, { signal })
    const links = (headers.get('link') ?? '').matchAll(/<([^<>]+)>; rel="([^"<]+)"/g)
    return [...links].find(([, , rel]) => rel === name)?.[1]
  }

  /** The events of a log, over lost connections; a first connection that fails is not retried. */
  async *follow(path: string, { after, hasEnd, onLost }: Followed): AsyncGenerator<LogEvent> {
    const { followLog } = await import('@switchroom/sdk/log-follower') // most commands follow nothing
    const log = followLog({
      url: this.url,
      path,
      headers: this.#headers,
      after,
      hasEnd,
      onLost(error, hasConnected) {
        if (!hasConnected) throw error
        onLost(reasonOf(error))
      },
    })
    try {
      yield* log
    } catch (error) {
      throw failureOf(error) ?? unreachable('gateway', this.url, error)
    }
  }

  /** A response that is not a refusal, with its body unread. */
  async fetch(
    method: string,
    path: string,
    headers: Record<string, string>,
    init: { body?: string | FormData; signal: AbortSignal },
  ): Promise<Response> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        accept: 'application/json',
        ...this.#headers,
        ...headers,
      },
      redirect: 'manual', // a key is sent to the address it was made at, and nowhere else
      ...init,
    }).catch((error: unknown) => {
      throw unreachable('gateway', this.url, error)
    })
    if (!response.ok) throw await refusalOf(response, this.url)
    return response
  }

  async #ask<Answer>(
    method: string,
    path: string,
    { query = {}, body, headers = {}, withinMs = answersWithinMs }: Sent,
  ): Promise<Answer> {
    const said = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) if (value !== undefined) said.set(name, String(value))
    const search = said.size === 0 ? '' : `?${said.toString()}`
    const response = await this.fetch(
      method,
      path + search,
      body === undefined || body instanceof FormData
        ? headers
        : { ...headers, 'content-type': 'application/json' },
      {
        signal: AbortSignal.timeout(withinMs),
        ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
      },
    )
    const text = await response.text().catch((error: unknown) => {
      throw unreachable('gateway', this.url, error)
    })
    try {
      return (text === '' ? undefined : JSON.parse(text)) as Answer
    } catch {
      throw refused(response.status, notAGateway(this.url, response.status))
    }
  }
}

/** A path with its parts encoded. */
export const path = (parts: TemplateStringsArray, ...values: string[]): string =>
  String.raw({ raw: parts }, ...values.map((value) => encodeURIComponent(value)))

async function refusalOf(response: Response, url: string): Promise<Failure> {
  const { status } = response
  const text = await response.text().catch(() => '')
  try {
    const { detail, code } = JSON.parse(text) as { detail?: unknown; code?: unknown }
    if (typeof detail === 'string')
      return refused(status, detail, typeof code === 'string' ? code : undefined)
  } catch {
    // the answer of a proxy
  }
  return refused(status, notAGateway(url, status))
}

const notAGateway = (url: string, status: number) =>
  `${url} answered ${status}, but is not a gateway: check the address`

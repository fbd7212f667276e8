import type { Environment } from '@switchroom/contract/scopes'
import { failed, reached } from './reachability.ts'
import { screenSentence } from './screen-sentences.ts'
import { currentSession, endSession } from './session.ts'

/** A refused request: `message` is the sentence for the screen, `detail` the gateway's own. */
export class Refused extends Error {
  readonly status: number
  readonly detail: string

  constructor(status: number, detail: string) {
    super(screenSentence(detail))
    this.status = status
    this.detail = detail
  }
}

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

export interface RequestOptions {
  signal?: AbortSignal
  /** Overrides the session's key; null sends none. */
  key?: string | null
  /** Overrides the chosen environment; null uses the key's own. */
  env?: Environment | null
  headers?: Record<string, string>
  /** A 401 here does not sign out. */
  isProbe?: boolean
  /** The request survives the page. */
  keepalive?: boolean
}

export const api = {
  get: <Answer>(address: string, options?: RequestOptions) => ask<Answer>('get', address, undefined, options),
  post: <Answer>(address: string, body?: unknown, options?: RequestOptions) =>
    ask<Answer>('post', address, body, options),
}

/** The JSON of the response, `{}` without a body. Every refusal is thrown as `Refused`. */
export async function ask<Answer>(
  method: Method,
  address: string,
  body?: unknown,
  options: RequestOptions = {},
): Promise<Answer> {
  const response = await open(method, address, body, options)
  const text = await response.text()
  return JSON.parse(text === '' ? '{}' : text)
}

/** The response itself, for audio and streams. */
export async function open(
  method: Method,
  address: string,
  body?: unknown,
  { signal, key: otherKey, env: otherEnv, headers, isProbe = false, keepalive = false }: RequestOptions = {},
): Promise<Response> {
  const session = currentSession()
  const key = otherKey === undefined ? session.key : otherKey
  const env = otherEnv === undefined ? session.env : otherEnv
  const response = await fetch(address, {
    method: method.toUpperCase(),
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(key !== null && env !== null && { 'svc-env': env }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
    keepalive,
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    failed()
    throw new Refused(0, 'The gateway cannot be reached. Check your connection and try again.')
  })
  if (response.ok) {
    reached()
    return response
  }
  if ([502, 503, 504].includes(response.status)) failed()
  const refused = new Refused(response.status, await sentenceOf(response))
  const isOwnKey = key !== null && key === currentSession().key
  if (refused.status === 401 && isOwnKey && !isProbe) endSession(refused.message)
  throw refused
}

async function sentenceOf(response: Response): Promise<string> {
  try {
    const { detail, error }: { detail?: unknown; error?: unknown } = await response.json()
    if (typeof detail === 'string') return detail
    if (typeof error === 'string') return error
  } catch {
    // a proxy answered
  }
  return `The gateway answered ${response.status}. Try again in a moment.`
}

/** A path with each value escaped: path`/v1/members/${id}`. */
export function path(texts: TemplateStringsArray, ...values: (string | number)[]): string {
  return String.raw({ raw: texts }, ...values.map((value) => encodeURIComponent(value)))
}

import type { Environment } from '@switchroom/contract/scopes'
import { currentSession, signOut } from './session.ts'

/** What the gateway refused, in its own sentence. */
export class Refused extends Error {
  readonly status: number
  readonly detail: string

  constructor(status: number, detail: string) {
    super(detail)
    this.status = status
    this.detail = detail
  }
}

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

export interface Asking {
  signal?: AbortSignal
  /** Instead of the session's own, for a key that is not signed in with yet; null for none. */
  key?: string | null
  /** Instead of the environment chosen; null leaves it to the key. */
  env?: Environment | null
  headers?: Record<string, string>
  /** A key refused here is no reason to sign out. */
  isProbe?: boolean
  /** It is carried out although the page is closed meanwhile. */
  keepalive?: boolean
}

export const api = {
  get: <Answer>(address: string, asking?: Asking) => ask<Answer>('get', address, undefined, asking),
  post: <Answer>(address: string, body?: unknown, asking?: Asking) =>
    ask<Answer>('post', address, body, asking),
  put: <Answer>(address: string, body?: unknown, asking?: Asking) =>
    ask<Answer>('put', address, body, asking),
  patch: <Answer>(address: string, body?: unknown, asking?: Asking) =>
    ask<Answer>('patch', address, body, asking),
  delete: <Answer>(address: string, body?: unknown, asking?: Asking) =>
    ask<Answer>('delete', address, body, asking),
}

/** The answer's JSON, `{}` where it has no body. Every refusal is thrown as `Refused`. */
export async function ask<Answer>(
  method: Method,
  address: string,
  body?: unknown,
  asking: Asking = {},
): Promise<Answer> {
  const response = await open(method, address, body, asking)
  const text = await response.text()
  return JSON.parse(text === '' ? '{}' : text)
}

/** The answer itself, for sound and for streams. */
export async function open(
  method: Method,
  address: string,
  body?: unknown,
  { signal, key: otherKey, env: otherEnv, headers, isProbe = false, keepalive = false }: Asking = {},
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
    throw new Refused(0, 'The gateway cannot be reached: check your connection, then try again.')
  })
  if (response.ok) return response
  const refused = new Refused(response.status, await sentenceOf(response))
  const isOwnKey = key !== null && key === currentSession().key
  if (refused.status === 401 && isOwnKey && !isProbe) signOut(refused.detail)
  throw refused
}

async function sentenceOf(response: Response): Promise<string> {
  try {
    const { detail, error }: { detail?: unknown; error?: unknown } = await response.json()
    if (typeof detail === 'string') return detail
    if (typeof error === 'string') return error
  } catch {
    // something between the browser and the gateway answered
  }
  return `The gateway answered ${response.status}: try again in a moment.`
}

/** A path with each value escaped: path`/v1/members/${id}`. */
export function path(texts: TemplateStringsArray, ...values: (string | number)[]): string {
  return String.raw({ raw: texts }, ...values.map((value) => encodeURIComponent(value)))
}

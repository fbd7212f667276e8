import type { Credentials, Scalar } from './vendor.ts'

/** Where a model is asked, and how. */
export interface Reach {
  address: URL
  headers: Record<string, string>
  /** Default: the platform's own `fetch`. */
  fetch?: (url: URL, request: RequestInit) => Promise<Response>
  /** Opens the connection that the next `fetch` uses. Default: one of the platform's own. */
  connect?: (url: URL) => Promise<void>
}

/** The usual one: a path under the base, with the key as bearer. */
export function bearerReach(base: unknown, path: string, { api_key: key }: Credentials): Reach {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
  return { address: addressOf(base, path), headers }
}

/** A path and a query under a vendor's address, which an operator may have ended with a slash. */
export function addressOf(base: unknown, path: string, query: Readonly<Record<string, unknown>> = {}): URL {
  const url = new URL(String(base).replace(/(?<!\/)\/+$/, '') + path)
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat() as (Scalar | undefined)[])
      if (one !== undefined) url.searchParams.append(name, String(one))
  return url
}

/** The same for a socket: vendors keep theirs on the host of their HTTP address. */
export function socketAddressOf(...address: Parameters<typeof addressOf>): URL {
  const url = addressOf(...address)
  url.protocol = url.protocol.replace('http', 'ws')
  return url
}

import type { Scalar } from './vendor.ts'

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

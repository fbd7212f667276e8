import { addressOf, type Reach } from '@switchroom/kit/addresses'
import { refused, silent } from '@switchroom/kit/failures'
import type { Credentials } from '@switchroom/kit/vendor'
import { pinnedFetch } from './pinned-fetch.ts'

/** An endpoint as the gateway hands it to a call, in one text beside its key. */
export interface Endpoint {
  base_url: string
  wire: 'chat' | 'responses'
  model: string
  /** Of Azure's deployment form; null for every other endpoint. */
  azure_api_version: string | null
  /** Those that the gateway checked: no other is connected to, whatever the name resolves to by then. */
  addresses: string[]
  /** Why there are none. */
  unreachable?: string
  /** A root that the deployment trusts besides the usual ones. */
  ca?: string
}

/** The endpoint in the credentials of a call. */
export function endpointIn({ endpoint }: Credentials): Endpoint {
  if (typeof endpoint !== 'string') throw silent('no endpoint came with its credentials')
  return JSON.parse(endpoint) as Endpoint
}

const paths = { chat: '/chat/completions', responses: '/responses' }

/** Where the endpoint is asked, with which header, and over which connections. */
export function reachOf(endpoint: Endpoint, { api_key: key }: Credentials): Reach {
  const { base_url: base, wire, model, azure_api_version: version, addresses, unreachable, ca } = endpoint
  if (addresses.length === 0) throw refused(unreachable ?? 'it has no address that was checked')
  const pinned = pinnedFetch(addresses, ca)
  if (version === null)
    return {
      address: addressOf(base, paths[wire]),
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      ...pinned,
    }
  const deployment = wire === 'chat' ? `/deployments/${encodeURIComponent(model)}` : ''
  return {
    address: addressOf(base, `/openai${deployment}${paths[wire]}`, { 'api-version': version }),
    headers: key === undefined ? {} : { 'api-key': String(key) },
    ...pinned,
  }
}

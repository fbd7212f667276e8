import { endpointWires, type EndpointWire } from '@switchroom/contract/endpoint-names'
import { normalHost } from '../../foundation/address-ranges.ts'
import { badRequest, listed } from '../../foundation/refusals.ts'
import { codePoints } from '../../foundation/text.ts'

const longestText = 200
const longestAddress = 500
const longestKey = 1024

/** What an endpoint is, without its key. */
export interface EndpointFields {
  base_url: string
  wire: EndpointWire
  model: string
  azure_api_version: string | null
}

interface Wanted {
  base_url: string
  model: string
  wire?: string | undefined
  azure_api_version?: string | null | undefined
}

/** Refuses what no request could be made of. `privateHosts` may be asked over plain http. */
export function fieldsOf(wanted: Wanted, privateHosts: readonly string[]): EndpointFields {
  const wire = endpointWires.find((known) => known === (wanted.wire ?? 'chat'))
  if (!wire) throw badRequest(`wire is one of ${listed(endpointWires)}`)
  const version = wanted.azure_api_version ?? null
  if (version !== null && !/^[\w.-]{1,40}$/.test(version))
    throw badRequest('azure_api_version is a version of the API, such as 2025-04-01-preview')
  if (!isText(wanted.model, longestText))
    throw badRequest(`model is 1 to ${longestText} characters: the endpoint's own name of it`)
  const base_url = addressIn(wanted.base_url, privateHosts)
  if (version !== null && /\/openai(?:\/|$)/.test(new URL(base_url).pathname))
    throw badRequest(
      "base_url is the resource alone with azure_api_version, such as https://desk.openai.azure.com: the deployment's path is added",
    )
  return { base_url, wire, model: wanted.model, azure_api_version: version }
}

export function nameIn(typed: string): string {
  if (!/^[a-z0-9][a-z0-9_-]{0,31}$/.test(typed))
    throw badRequest(
      'name is 1 to 32 of lower-case letters, digits, - and _, and begins with a letter or digit',
    )
  return typed
}

export function keyIn(typed: string): string {
  // It goes into a header as it is, so a line break or an accent would fail in every call.
  if (!/^[\x21-\x7e]+$/.test(typed) || typed.length > longestKey)
    throw badRequest(`key is 1 to ${longestKey} printable ASCII characters without spaces`)
  return typed
}

/** As the network names it: what the addresses of an endpoint are looked up of. */
export const hostOf = (base_url: string) => new URL(base_url).hostname.replace(/^\[|\]$/g, '')

/** Without a last slash. */
function addressIn(typed: string, privateHosts: readonly string[]): string {
  const url = typed.length <= longestAddress && URL.canParse(typed) ? new URL(typed) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password)
    throw badRequest(
      `base_url is an address of https without a user in it, of at most ${longestAddress} characters`,
    )
  if (url.search || url.hash)
    throw badRequest('base_url has no query: give the api-version of Azure as azure_api_version')
  if (/\/(?:chat\/completions|responses)\/?$/.test(url.pathname))
    throw badRequest('base_url ends before /chat/completions or /responses: wire says which of them is asked')
  const isPrivate = privateHosts.some((host) => normalHost(host) === normalHost(url.hostname))
  if (url.protocol === 'http:' && !isPrivate)
    throw badRequest('base_url is asked over https: http would show the key to the network')
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`
}

const isText = (text: string, longest: number) => text.trim() !== '' && codePoints(text).length <= longest

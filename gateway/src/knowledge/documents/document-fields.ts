import { longestUrl, shortestRefetchS, type DocumentFormat } from '@switchroom/contract/knowledge-names'
import { badRequest } from '../../foundation/refusals.ts'
import { codePoints } from '../../foundation/text.ts'
import { formatFrom } from './document-formats.ts'

const longestName = 200
const longestRefetchS = 90 * 24 * 3600
const mostHeaders = 20
const longestHeader = 2000
/** What the exchange itself says, and what would let a request pass for another one's. */
const ownHeaders =
  /^(?:host|content-.*|connection|transfer-encoding|upgrade|te|trailer|keep-alive|proxy-.*|if-.*|range)$/i

/** An address to fetch, with what must never be shown. */
export interface SealedAddress {
  url: string
  headers: Record<string, string>
  /** As the person said; null: as the server says. */
  format: DocumentFormat | null
}

export interface AddressFields {
  sealed: SealedAddress
  /** Without secrets. */
  url: string
  refetch_s: number | null
}

export function nameOf(typed: string): string {
  const name = typed.trim().normalize('NFC')
  if (name === '' || codePoints(name).length > longestName || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(name))
    throw badRequest(`name is one line of 1 to ${longestName} characters, such as prices.md`)
  return name
}

/** A file of a folder has its path as its name, without what leads out of the folder. */
export const nameOfFile = (path: string) =>
  nameOf(
    path
      .split(/[\\/]+/)
      .filter((part) => part !== '' && part !== '.' && part !== '..')
      .join('/'),
  )

interface WantedAddress {
  url: string
  format?: string | undefined
  headers?: Record<string, string> | undefined
  refetch_s?: number | null | undefined
}

export function addressFieldsOf({
  url,
  format,
  headers = {},
  refetch_s = null,
}: WantedAddress): AddressFields {
  if (refetch_s !== null && (refetch_s < shortestRefetchS || refetch_s > longestRefetchS))
    throw badRequest(
      `refetch_s must be between ${shortestRefetchS} and ${longestRefetchS}, or null: by hand (got ${refetch_s})`,
    )
  const address = addressIn(url)
  const said = format === undefined ? null : formatFrom(format, '')
  return {
    sealed: { url: address.href, headers: headersIn(headers), format: said },
    url: withoutSecrets(address),
    refetch_s,
  }
}

/** What a document from an address is called if no one says. */
export function nameOfAddress(url: string): string {
  const { hostname, pathname } = new URL(url)
  const last = pathname.split('/').findLast((part) => part !== '') ?? ''
  return nameOf(
    codePoints(decoded(last) || hostname)
      .slice(0, longestName)
      .join(''),
  )
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part).replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '')
  } catch {
    return part
  }
}

function addressIn(typed: string): URL {
  const url = typed.length <= longestUrl && URL.canParse(typed) ? new URL(typed) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw badRequest(
      `url is an address of https or http of at most ${longestUrl} characters, such as https://example.com/prices`,
    )
  url.hash = ''
  return url
}

function headersIn(wanted: Record<string, string>): Record<string, string> {
  const headers = Object.entries(wanted)
  if (headers.length > mostHeaders) throw badRequest(`headers has at most ${mostHeaders} names`)
  for (const [name, value] of headers) {
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/.test(name) || ownHeaders.test(name))
      throw badRequest(`headers: ${name.slice(0, 40)} cannot be sent`)
    if (value.length > longestHeader || !/^[\t\x20-\x7e]*$/.test(value))
      throw badRequest(`headers: the value of ${name} is at most ${longestHeader} characters of ASCII`)
  }
  return wanted
}

const secretNames = /key|token|secret|sig|auth|pass|pwd|credential|session|code/i
const looksRandom = (value: string) => /^[\w+/=.-]{20,}$/.test(value) && /\d/.test(value)

function withoutSecrets(address: URL): string {
  const shown = new URL(address)
  shown.username = ''
  shown.password = ''
  for (const [name, value] of new URLSearchParams(shown.search))
    if (secretNames.test(name) || looksRandom(value)) shown.searchParams.set(name, '***')
  return shown.href
}

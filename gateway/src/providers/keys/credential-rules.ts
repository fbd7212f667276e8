import type { BringKey } from '@switchroom/contract/providers'
import type { Manifest } from '@switchroom/kit/manifest'
import type { Credentials, Scalar } from '@switchroom/kit/vendor'
import { badRequest, listed } from '../../foundation/refusals.ts'
import { codePoints } from '../../foundation/text.ts'

const longestSecret = 1024
const mostFields = 8
/** The name of a vendor's key if its manifest cannot be read. */
const usualKeyField = 'api_key'

/** Credentials as stored: a bare key is matched to its field when it is used. */
export type Brought = { key: string } | { credentials: Credentials }

/** The parts of a vendor that its keys need; a vendor with a broken manifest takes a key too. */
export interface KeyedVendor {
  name: string
  manifest: Manifest | null
}

/** Accepts only secrets that the vendor uses. No refusal contains a value. */
export function broughtOf(vendor: KeyedVendor, { key, credentials }: BringKey): Brought {
  if (vendor.manifest && !vendor.manifest.credentials.key)
    throw badRequest(`${vendor.name} runs without a key, so there is none to bring`)
  if ((key === undefined) === (credentials === undefined))
    throw badRequest('bring either key or credentials, and not both')
  if (key !== undefined) return { key: keyOf(vendor, key) }
  return { credentials: secretsOf(vendor, credentials ?? {}) }
}

/** The credentials a vendor's classes are built with. */
export function credentialsFrom(brought: Brought, manifest: Manifest | null | undefined): Credentials {
  if ('credentials' in brought) return brought.credentials
  return { [manifest?.credentials.key ?? usualKeyField]: brought.key }
}

/** The fields that every class of a vendor requires. */
export const neededFields = ({ credentials: { key, needs } }: Manifest): string[] =>
  key === undefined ? [] : (needs ?? [key])

/** The required fields beside the key. */
export const fieldsBeyondKey = (manifest: Manifest): string[] =>
  neededFields(manifest).filter((field) => field !== manifest.credentials.key)

/** Only the operator may set an address, a file or a session, whatever a constructor takes. */
export const isOperatorsName = (name: string) =>
  ['base_url', 'endpoint', 'http_session'].includes(name) ||
  /_(?:url|endpoint|host|file|path|session)$/.test(name)

function keyOf({ name, manifest }: KeyedVendor, key: string): string {
  if (manifest && fieldsBeyondKey(manifest).length > 0)
    throw badRequest(
      `${name} needs more than a key: bring credentials with ${listed(neededFields(manifest))}`,
    )
  if (!isShortText(key)) throw badRequest(`key is 1 to ${longestSecret} characters and not blank`)
  return key
}

function secretsOf({ name, manifest }: KeyedVendor, given: Record<string, unknown>): Credentials {
  const entries = Object.entries(given)
  if (entries.length === 0 || entries.length > mostFields)
    throw badRequest(`credentials are 1 to ${mostFields} fields`)
  const known = manifest && knownNames(manifest)
  for (const [field, value] of entries) {
    if (isOperatorsName(field))
      throw badRequest(`credentials.${field} is the operator's to set: credentials are secrets alone`)
    if (known && !known.includes(field)) throw badRequest(`credentials.${field}: ${name} takes no such field`)
    if (!isShortScalar(value))
      throw badRequest(
        `credentials.${field} is a text of 1 to ${longestSecret} characters that is not blank, a number, or true or false`,
      )
  }
  const missing = manifest ? neededFields(manifest).filter((field) => !Object.hasOwn(given, field)) : []
  if (missing.length > 0) throw badRequest(`${name} does not run without ${listed(missing)}`)
  return Object.fromEntries(entries) as Credentials // every value is a scalar by now
}

const knownNames = ({ credentials, stages }: Manifest): string[] => [
  ...credentials.fields,
  ...Object.values(stages).flatMap(({ classes }) => Object.values(classes).flatMap(({ takes }) => takes)),
]

const isShortText = (text: string) => text.trim() !== '' && codePoints(text).length <= longestSecret

const isShortScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' ? isShortText(value) : typeof value === 'number' || typeof value === 'boolean'

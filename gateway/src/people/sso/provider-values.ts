import { roles, type Role } from '@switchroom/contract/scopes'
import type { SetIdentityProvider } from '@switchroom/contract/sso'
import { badRequest } from '../../foundation/refusals.ts'

const domainForm =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

export interface ProviderValues {
  issuer: string
  client_id: string
  domains: string[]
  role: Role | null
  required: boolean
}

/** Validates a provider's settings without network access. */
export function valuesOf(wanted: SetIdentityProvider): ProviderValues {
  const { issuer, client_id, required = false } = wanted
  if (!URL.canParse(issuer) || new URL(issuer).protocol !== 'https:')
    throw badRequest('the issuer must be https')
  if (client_id.trim() === '') throw badRequest('client_id is what the provider calls this client')
  return { issuer, client_id, required, domains: domainsOf(wanted.domains), role: roleOf(wanted.role) }
}

function domainsOf(wanted: readonly string[]): string[] {
  const domains = [...new Set(wanted.map((domain) => domain.toLowerCase()))]
  const isEach = domains.length === wanted.length && domains.every((domain) => domainForm.test(domain))
  if (!isEach || domains.length === 0 || domains.length > 20)
    throw badRequest('domains is 1 to 20 domain names')
  return domains
}

function roleOf(wanted: string | null | undefined): Role | null {
  if (wanted === undefined || wanted === null) return null
  const role = roles.find((known) => known === wanted)
  if (!role) throw badRequest(`role is one of ${roles.join(', ')}`)
  return role
}

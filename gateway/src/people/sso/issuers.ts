import type { ServerMetadata } from 'openid-client'
import { HostRefused, type PublicAddresses } from '../../foundation/public-addresses.ts'
import { refusedBecause } from './sign-in-refusals.ts'

export type IssuerDocument = ServerMetadata &
  Required<Pick<ServerMetadata, 'authorization_endpoint' | 'token_endpoint' | 'jwks_uri'>>

const refusedHost = {
  nothing: "the issuer's name resolves to nothing",
  'not-public': "the issuer's name resolves to an address that is not public",
}

/** Reads an issuer's discovery document. */
export async function discover(
  { fetch }: Pick<PublicAddresses, 'fetch'>,
  issuer: string,
): Promise<IssuerDocument> {
  try {
    const answer = await fetch(documentAddress(issuer), { headers: { accept: 'application/json' } })
    const document: unknown = answer.status === 200 ? await answer.json() : undefined
    if (isDocumentOf(issuer, document)) return document
    throw new Error(`${new URL(issuer).host} answered ${answer.status} and no document of this issuer`)
  } catch (cause) {
    const sentence =
      cause instanceof HostRefused ? refusedHost[cause.reason] : 'the issuer did not answer discovery'
    throw refusedBecause(sentence, cause)
  }
}

function documentAddress(issuer: string): URL {
  const { origin, pathname } = new URL(issuer)
  return new URL(`${origin}${pathname.replace(/\/$/, '')}/.well-known/openid-configuration`)
}

function isDocumentOf(issuer: string, document: unknown): document is IssuerDocument {
  if (typeof document !== 'object' || document === null) return false
  const said = document as Record<string, unknown>
  return (
    addressIn(said['issuer']) === addressIn(issuer) &&
    addressIn(said['authorization_endpoint'])?.startsWith('https://') === true &&
    addressIn(said['token_endpoint']) !== undefined &&
    addressIn(said['jwks_uri']) !== undefined
  )
}

/** Equal except for one trailing slash. */
const addressIn = (value: unknown) =>
  typeof value === 'string' && URL.canParse(value) ? new URL(value).href.replace(/\/$/, '') : undefined

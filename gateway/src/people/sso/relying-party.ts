import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  clockTolerance,
  Configuration,
  customFetch,
  enableNonRepudiationChecks,
  type CustomFetch,
  type IDToken,
} from 'openid-client'
import type { PublicAddresses } from '../../foundation/public-addresses.ts'
import { forbidden } from '../../foundation/refusals.ts'
import type { IssuerDocument } from './issuers.ts'
import { didNotAnswer, didNotCheckOut } from './sign-in-refusals.ts'

/** Never `none`, and never a symmetric algorithm. */
const signatures = ['RS256', 'ES256']
const leewayS = 60

/** Binds a callback to the sign-in that started it. */
export interface SignInSecrets {
  state: string
  nonce: string
  verifier: string
}

export interface Client {
  client_id: string
  client_secret: string
  redirect_uri: string
}

/** The OpenID Connect client that an org registered at one provider. */
export class RelyingParty {
  readonly #configuration: Configuration
  readonly #redirectUri: string

  constructor(document: IssuerDocument, client: Client, addresses: PublicAddresses) {
    const methods = document.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const authentication = methods.includes('client_secret_post') ? ClientSecretPost : ClientSecretBasic
    this.#configuration = new Configuration(
      { ...document, id_token_signing_alg_values_supported: signatures },
      client.client_id,
      { [clockTolerance]: leewayS },
      authentication(client.client_secret),
    )
    this.#configuration[customFetch] = answeredBy(addresses)
    enableNonRepudiationChecks(this.#configuration) // without it the signature is not checked
    this.#redirectUri = client.redirect_uri
  }

  async authorizationAddress({ state, nonce, verifier }: SignInSecrets): Promise<string> {
    const address = buildAuthorizationUrl(this.#configuration, {
      redirect_uri: this.#redirectUri,
      scope: 'openid email profile',
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    return address.href
  }

  /** RFC 9207: refuses an answer that another provider made. */
  refuseOtherIssuer(callback: URLSearchParams) {
    const { issuer, authorization_response_iss_parameter_supported: isNamed } =
      this.#configuration.serverMetadata()
    const named = callback.getAll('iss')
    if (named.some((iss) => iss !== issuer) || (isNamed && named.length === 0))
      throw forbidden('this answer is not from the provider that was asked: sign in again')
  }

  /** The provider's claims, once signature, issuer, audience, nonce and time were checked. */
  async exchange(callback: URLSearchParams, { state, nonce, verifier }: SignInSecrets): Promise<IDToken> {
    const address = new URL(`${this.#redirectUri}?${callback.toString()}`)
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier }
    try {
      const tokens = await authorizationCodeGrant(this.#configuration, address, checks)
      const claims = tokens.claims()
      if (!claims) throw new Error('there is no id_token')
      return claims
    } catch (error) {
      throw isSilence(error) ? didNotAnswer(error) : didNotCheckOut(error)
    }
  }
}

/** A provider that could not be reached or that refused gave no token to check. */
class Silence extends Error {}

const answeredBy =
  (addresses: PublicAddresses): CustomFetch =>
  async (address, options) => {
    const answer = await addresses.fetch(address, options as RequestInit).catch((cause: unknown) => {
      throw new Silence('a provider was not reached', { cause })
    })
    if (!answer.ok) throw new Silence(`a provider answered ${answer.status}`)
    return answer
  }

const notAsked = new Set(['OAUTH_HTTP_REQUEST_FORBIDDEN', 'OAUTH_REQUEST_PROTOCOL_FORBIDDEN'])

const isSilence = (error: unknown) =>
  error instanceof ClientError && (error.cause instanceof Silence || notAsked.has(error.code ?? ''))

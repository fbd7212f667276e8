import type { Logger } from 'pino'
import type { PublicAddresses } from '../../foundation/public-addresses.ts'
import { forbidden, notFound, Refusal } from '../../foundation/refusals.ts'
import { newSecret } from '../../foundation/secrets.ts'
import type { Pairings } from '../pairings/pairings.ts'
import type { BegunSignIn, BegunSignIns } from './begun-sign-ins.ts'
import { vouchedFor } from './id-token.ts'
import { discover } from './issuers.ts'
import { noProvider, type IdentityProviders, type ProviderRow } from './providers.ts'
import { RelyingParty } from './relying-party.ts'
import type { ReturningBrowser, Provisioning } from './provisioning.ts'
import { didNotAnswer } from './sign-in-refusals.ts'

/** The redirect, and the secret that identifies the browser when it returns and redeems its code. */
export interface Departure {
  location: string
  browser?: string
}

export interface ProviderSignInsParts {
  begunSignIns: BegunSignIns
  identityProviders: IdentityProviders
  pairings: Pairings
  provisioning: Provisioning
  publicAddresses: PublicAddresses
  logger: Logger
}

/** Sign-in at an org's own provider. */
export class ProviderSignIns {
  readonly #parts: ProviderSignInsParts

  constructor(parts: ProviderSignInsParts) {
    this.#parts = parts
  }

  async begin(slug: string, pairing: string): Promise<Departure> {
    const provider = await this.#parts.identityProviders.ofSlug(slug)
    if (!provider) throw noProvider()
    if (pairing !== '' && (await this.#parts.pairings.read(pairing)).answered)
      throw notFound('that word is spent or was never made')

    return this.#orRefused(async () => {
      const party = await this.#relyingParty(provider)
      const secrets = { state: newSecret(), nonce: newSecret(), verifier: newSecret() }
      const browser = newSecret()
      const { org, issuer } = provider
      await this.#parts.begunSignIns.keep({ org, issuer, secrets, pairing }, browser)
      return { location: await party.authorizationAddress(secrets), browser }
    })
  }

  /**
   * The provider's callback, at the org's own address or at the former shared one, which names no org. Refuses by a
   * redirect, because a person reads it; only an unknown state is refused directly.
   */
  async finish(callback: URLSearchParams, arriving: ReturningBrowser, org?: string): Promise<Departure> {
    const { browser } = arriving
    const begun = await this.#parts.begunSignIns.spend(callback.get('state') ?? '', browser)
    return this.#orRefused(async () => {
      if (!begun) throw forbidden('this sign-in began in another browser')
      if (org === undefined) throw forbidden(movedTo(this.#parts.identityProviders.redirectUri(begun.org)))
      if (org !== begun.org)
        throw forbidden('the provider sent this answer to the address of another org: sign in again')
      const code = await this.#signIn(begun, callback, arriving)
      const location = begun.pairing ? `/cli?c=${begun.pairing}&login=${code}` : `/?login=${code}`
      return { location, browser }
    })
  }

  async #signIn(
    { org, issuer, secrets }: BegunSignIn,
    callback: URLSearchParams,
    arriving: ReturningBrowser,
  ): Promise<string> {
    const provider = await this.#parts.identityProviders.ofOrg(org)
    if (provider?.issuer !== issuer) throw noProvider()
    const party = await this.#relyingParty(provider)
    party.refuseOtherIssuer(callback)
    const error = callback.get('error')
    if (error !== null) throw forbidden(`the provider refused: ${error}`)
    const vouched = vouchedFor(await party.exchange(callback, secrets))
    return (await this.#parts.provisioning.seat(provider, vouched, arriving)).code
  }

  /** Reads the provider's discovery document each time, so that changes apply at once. */
  async #relyingParty(provider: ProviderRow): Promise<RelyingParty> {
    try {
      const client = this.#parts.identityProviders.clientOf(provider)
      return new RelyingParty(
        await discover(this.#parts.publicAddresses, provider.issuer),
        client,
        this.#parts.publicAddresses,
      )
    } catch (cause) {
      throw didNotAnswer(cause)
    }
  }

  async #orRefused(work: () => Promise<Departure>): Promise<Departure> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.cause) this.#parts.logger.info({ err: rootOf(error.cause) }, error.message)
      return { location: `/?refused=${encodeURIComponent(error.message.toWellFormed())}` }
    }
  }
}

const movedTo = (redirectUri: string) =>
  `this address is no longer answered: register ${redirectUri} at the provider and sign in again`

const rootOf = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error ? rootOf(error.cause) : error

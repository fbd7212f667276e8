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
import type { Arriving, Seating } from './seating.ts'
import { didNotAnswer } from './sign-in-refusals.ts'

/** Where the browser goes next, and the secret it is known by when it comes back and when it redeems its code. */
export interface Departure {
  location: string
  browser?: string
}

/** Signing in at an org's own provider. */
export class ProviderSignIns {
  readonly #begun: BegunSignIns
  readonly #providers: IdentityProviders
  readonly #pairings: Pairings
  readonly #seating: Seating
  readonly #addresses: PublicAddresses
  readonly #logger: Logger

  constructor(
    begun: BegunSignIns,
    providers: IdentityProviders,
    pairings: Pairings,
    seating: Seating,
    addresses: PublicAddresses,
    logger: Logger,
  ) {
    this.#begun = begun
    this.#providers = providers
    this.#pairings = pairings
    this.#seating = seating
    this.#addresses = addresses
    this.#logger = logger
  }

  async begin(slug: string, pairing: string): Promise<Departure> {
    const provider = await this.#providers.ofSlug(slug)
    if (!provider) throw noProvider()
    if (pairing !== '' && (await this.#pairings.read(pairing)).answered)
      throw notFound('that word is spent or was never made')

    return this.#orRefused(async () => {
      const party = await this.#relyingParty(provider)
      const secrets = { state: newSecret(), nonce: newSecret(), verifier: newSecret() }
      const browser = newSecret()
      const { org, issuer } = provider
      await this.#begun.keep({ org, issuer, secrets, pairing }, browser)
      return { location: await party.authorizationAddress(secrets), browser }
    })
  }

  /**
   * Comes back to the address of an org, or to the one that all orgs once shared, which names no org. Refuses by a
   * redirect, for a person reads it; only a state that nobody began is refused outright.
   */
  async finish(callback: URLSearchParams, arriving: Arriving, org?: string): Promise<Departure> {
    const { browser } = arriving
    const begun = await this.#begun.spend(callback.get('state') ?? '', browser)
    return this.#orRefused(async () => {
      if (!begun) throw forbidden('this sign-in began in another browser')
      if (org === undefined) throw forbidden(movedTo(this.#providers.redirectUri(begun.org)))
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
    arriving: Arriving,
  ): Promise<string> {
    const provider = await this.#providers.ofOrg(org)
    if (provider?.issuer !== issuer) throw noProvider()
    const party = await this.#relyingParty(provider)
    party.refuseOtherIssuer(callback)
    const error = callback.get('error')
    if (error !== null) throw forbidden(`the provider refused: ${error}`)
    const vouched = vouchedFor(await party.exchange(callback, secrets))
    return (await this.#seating.seat(provider, vouched, arriving)).code
  }

  /** The provider is asked anew each time, so that what it says now holds. */
  async #relyingParty(provider: ProviderRow): Promise<RelyingParty> {
    try {
      const client = this.#providers.clientOf(provider)
      return new RelyingParty(await discover(this.#addresses, provider.issuer), client, this.#addresses)
    } catch (cause) {
      throw didNotAnswer(cause)
    }
  }

  async #orRefused(work: () => Promise<Departure>): Promise<Departure> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.cause) this.#logger.info({ err: rootOf(error.cause) }, error.message)
      return { location: `/?refused=${encodeURIComponent(error.message.toWellFormed())}` }
    }
  }
}

const movedTo = (redirectUri: string) =>
  `this address is no longer answered: register ${redirectUri} at the provider and sign in again`

const rootOf = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error ? rootOf(error.cause) : error

import type { IdentityProvider, SetIdentityProvider } from '@switchroom/contract/sso'
import { changedFields, recordAudit } from '../../audit/recording.ts'
import type { Database, Queryable } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import type { PublicAddresses } from '../../foundation/public-addresses.ts'
import { conflict, notFound, unprocessable } from '../../foundation/refusals.ts'
import type { Vault } from '../../foundation/sealing.ts'
import { refuseAgentsBeyond, refuseGrantBeyond, refuseProductionBeyond } from '../../foundation/granting.ts'
import type { Members } from '../members/members.ts'
import { decidesSignIn, newToken, type Domains } from './domains.ts'
import * as domainStore from './domains.store.ts'
import { discover } from './issuers.ts'
import type { Client } from './relying-party.ts'
import { valuesOf, type ProviderValues } from './provider-values.ts'
import * as store from './providers.store.ts'

export type { ProviderRow } from './providers.store.ts'

export const placeOf = (org: string) => `identity_providers:client_secret:${org}` as const

interface Parts {
  database: Database
  vault: Vault
  addresses: PublicAddresses
  members: Members
  domains: Domains
  baseUrl: string
}

/** The identity provider of an org. */
export class IdentityProviders {
  readonly #database: Database
  readonly #vault: Vault
  readonly #addresses: PublicAddresses
  readonly #members: Members
  readonly #domains: Domains
  readonly #baseUrl: string

  constructor({ database, vault, addresses, members, domains, baseUrl }: Parts) {
    this.#database = database
    this.#vault = vault
    this.#addresses = addresses
    this.#members = members
    this.#domains = domains
    this.#baseUrl = baseUrl
  }

  /** One for each org, so that one provider's answer cannot be used for another org. */
  redirectUri(org: string): string {
    return `${this.#baseUrl}/v1/login/sso/callback/${org}`
  }

  async read(org: string): Promise<IdentityProvider> {
    const provider = await store.findProvider(this.#database, org)
    const proofs = await this.#domains.proofs(org)
    return {
      configured: provider !== undefined,
      issuer: provider?.issuer ?? null,
      client_id: provider?.client_id ?? null,
      domains: proofs.map(({ domain }) => domain),
      role: provider?.role ?? null,
      required: provider?.required ?? false,
      redirect_uri: this.redirectUri(org),
      proofs,
    }
  }

  /** Stores the provider once its discovery document was read. */
  async set(caller: Caller, wanted: SetIdentityProvider): Promise<IdentityProvider> {
    const { org } = caller
    await this.#secretFor(this.#database, org, wanted)
    const values = valuesOf(wanted)
    refuseSeatsBeyond(caller, values)
    await this.#members.refuseUnlessHoldsAll(caller, decidesSignIn)
    await refuseRequiredUnproven(this.#database, org, values)
    await discover(this.#addresses, values.issuer)

    await this.#database.transaction(async (tx) => {
      await this.#members.lockHoldingAll(tx, caller, decidesSignIn) // checked again under the lock
      const secret = await this.#secretFor(tx, org, wanted)
      const before = await store.findProvider(tx, org)
      const stood = {
        ...before,
        domains: (await domainStore.listDomains(tx, org)).map(({ domain }) => domain),
      }
      await refuseRequiredUnproven(tx, org, values)
      if (await isOtherHost(tx, org, values)) await domainStore.dropOtherDomains(tx, org, [])
      const client_secret = this.#vault.seal(secret, placeOf(org))
      await store.keepProvider(tx, { ...values, org, client_secret })
      await domainStore.dropOtherDomains(tx, org, values.domains)
      await domainStore.keepDomains(tx, org, values.domains, values.domains.map(newToken))
      const { issuer, client_id, domains, role, required } = values
      const changed = changedFields(stood, { issuer, client_id, domains, role, required })
      const detail = { ...changed, secret_replaced: Boolean(wanted.client_secret) }
      await recordAudit(tx, caller, 'sso.set', { kind: 'sso', label: issuer }, { env: null, detail })
    })
    return this.read(org)
  }

  async remove(caller: Caller): Promise<void> {
    await this.#database.transaction(async (tx) => {
      await this.#members.lockHoldingAll(tx, caller, decidesSignIn)
      const gone = await store.deleteProvider(tx, caller.org)
      if (!gone) throw notFound('this org has no provider')
      await recordAudit(tx, caller, 'sso.removed', { kind: 'sso', label: gone.issuer }, { env: null })
    })
  }

  ofSlug(slug: string): Promise<store.ProviderRow | undefined> {
    return store.findProviderOfSlug(this.#database, slug)
  }

  ofOrg(org: string, database: Queryable = this.#database): Promise<store.ProviderRow | undefined> {
    return store.findProvider(database, org)
  }

  /** Throws if the sealed secret belongs to another row. */
  clientOf({ org, client_id, client_secret }: store.ProviderRow): Client {
    const secret = this.#vault.open(client_secret, placeOf(org))
    return { client_id, client_secret: secret, redirect_uri: this.redirectUri(org) }
  }

  /** Without a secret, the stored one is used if the issuer and the client are unchanged. */
  async #secretFor(database: Queryable, org: string, wanted: SetIdentityProvider): Promise<string> {
    if (wanted.client_secret) return wanted.client_secret
    const stored = await store.findProvider(database, org)
    if (stored?.issuer !== wanted.issuer || stored.client_id !== wanted.client_id)
      throw unprocessable('client_secret: is required')
    return this.clientOf(stored).client_secret
  }
}

export const noProvider = () => notFound('no provider signs in there')

/** A member provisioned with the role counts as granted by this key: all agents, and production for an admin. */
function refuseSeatsBeyond(caller: Caller, { role }: ProviderValues) {
  if (role === null) return
  refuseGrantBeyond(caller, role)
  if (role === 'admin') refuseProductionBeyond(caller)
  refuseAgentsBeyond(caller, [])
}

async function refuseRequiredUnproven(database: Queryable, org: string, values: ProviderValues) {
  if (!values.required) return
  if (await isOtherHost(database, org, values))
    throw conflict(
      `${new URL(values.issuer).host} is another identity provider, for which no domain is verified yet: save it with required false, verify a domain, then require it`,
    )
  if (!(await domainStore.isAnyVerified(database, org, values.domains)))
    throw conflict('no domain is verified yet')
}

/** A domain's verification holds for the provider's host at that time. */
async function isOtherHost(database: Queryable, org: string, { issuer }: ProviderValues): Promise<boolean> {
  const stored = await store.findProvider(database, org)
  return stored !== undefined && new URL(stored.issuer).host !== new URL(issuer).host
}

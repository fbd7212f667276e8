import { randomBytes } from 'node:crypto'
import type { DiscoverProviders, DomainProof, ProviderOrgList } from '@switchroom/contract/sso'
import { recordAudit } from '../../audit/recording.ts'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import type { PublicAddresses } from '../../foundation/public-addresses.ts'
import { badRequest, listed, notFound } from '../../foundation/refusals.ts'
import { isAddress, normalAddress } from '../../foundation/text.ts'
import type { RateCounts } from '../../http/rate-counts.ts'
import type { Members } from '../members/members.ts'
import { signInTries, tooManyTries } from '../tries/tries.ts'
import * as store from './domains.store.ts'

interface TokenedDomain {
  domain: string
  token: string
  verified: boolean
}

export const decidesSignIn = 'single sign-on decides who signs in as every member'

export const newToken = () => randomBytes(16).toString('hex')

/** The part after the last `@`; undefined for a malformed address. */
export const domainOf = (address: string) =>
  isAddress(address) ? address.slice(address.lastIndexOf('@') + 1) : undefined

/** The domains of an org's provider, and their DNS verification. */
export class Domains {
  readonly #database: Database
  readonly #rateCounts: RateCounts
  readonly #addresses: PublicAddresses
  readonly #members: Members

  constructor(database: Database, rateCounts: RateCounts, addresses: PublicAddresses, members: Members) {
    this.#database = database
    this.#rateCounts = rateCounts
    this.#addresses = addresses
    this.#members = members
  }

  async proofs(org: string): Promise<DomainProof[]> {
    return (await this.#tokened(org)).map(proofOf)
  }

  /** Reads the TXT record now. A verified domain stays verified. */
  async verify(caller: Caller, named: string): Promise<DomainProof> {
    const { org } = caller
    const domain = named.toLowerCase()
    const declared = (await this.#tokened(org)).find((known) => known.domain === domain)
    if (!declared) throw notNamed(domain)
    const { txt } = proofOf(declared)
    if (!declared.verified) {
      await this.#members.refuseUnlessHoldsAll(caller, decidesSignIn)
      const texts = await this.#textsAt(domain)
      if (!texts.includes(txt)) throw badRequest(`${domain} holds ${inWords(texts)} and not ${txt}`)
      await this.#database.transaction(async (tx) => {
        await this.#members.lockHoldingAll(tx, caller, decidesSignIn)
        if (!(await store.proveDomain(tx, org, domain, declared.token))) throw notNamed(domain)
        const target = { kind: 'domain', id: domain, label: domain } as const
        await recordAudit(tx, caller, 'sso.domain_proven', target, { env: null })
      })
    }
    return { domain, txt, verified: true }
  }

  /** The orgs whose provider has the address's domain, whether or not the address exists. */
  async discover({ email }: DiscoverProviders, clientAddress: string): Promise<ProviderOrgList> {
    const address = normalAddress(email)
    await this.#rateCounts.admit(signInTries, [address, clientAddress], tooManyTries(address))
    const domain = domainOf(address)
    return { orgs: domain === undefined ? [] : await store.orgsOfDomain(this.#database, domain) }
  }

  async #tokened(org: string): Promise<TokenedDomain[]> {
    const tokened: TokenedDomain[] = []
    for (const { domain, token: given, verified } of await store.listDomains(this.#database, org)) {
      const token = given ?? (await store.giveToken(this.#database, org, domain, newToken()))
      if (token !== undefined) tokened.push({ domain, token, verified })
    }
    return tokened
  }

  async #textsAt(domain: string): Promise<string[]> {
    try {
      return await this.#addresses.textsAt(domain)
    } catch {
      throw badRequest(`${domain} could not be read`)
    }
  }
}

const proofOf = ({ domain, token, verified }: TokenedDomain): DomainProof => ({
  domain,
  txt: `svc-verify=${token}`,
  verified,
})

const notNamed = (domain: string) => notFound(`the provider does not name ${domain}`)

const inWords = (texts: readonly string[]) =>
  texts.length === 0 ? 'no TXT record' : listed(texts.map((text) => `"${text}"`))

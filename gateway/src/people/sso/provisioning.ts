import type { LoginCode } from '@switchroom/contract/sign-in'
import { actingPerson, recordAudit } from '../../audit/recording.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Clock } from '../../foundation/clock.ts'
import { forbidden } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'
import type { LoginCodes } from '../login-codes/login-codes.ts'
import { refusePastSeats } from '../members/members.ts'
import type { OrgRow, Orgs } from '../orgs/orgs.ts'
import type { Proofs } from '../proofs/proofs.ts'
import { domainOf } from './domains.ts'
import * as domainStore from './domains.store.ts'
import type { Vouched } from './id-token.ts'
import { noProvider, type IdentityProviders, type ProviderRow } from './providers.ts'
import * as store from './provisioning.store.ts'

/** The secret of the browser that comes back from a provider, and its address. */
export interface ReturningBrowser {
  browser: string
  from: string
}

/** Signs in a person authenticated by an org's provider, and makes them a member if they are new. */
export class Provisioning {
  readonly #database: Database
  readonly #clock: Clock
  readonly #orgs: Orgs
  readonly #providers: IdentityProviders
  readonly #loginCodes: LoginCodes
  readonly #proofs: Proofs

  constructor(parts: {
    database: Database
    clock: Clock
    orgs: Orgs
    identityProviders: IdentityProviders
    loginCodes: LoginCodes
    proofs: Proofs
  }) {
    this.#database = parts.database
    this.#clock = parts.clock
    this.#orgs = parts.orgs
    this.#providers = parts.identityProviders
    this.#loginCodes = parts.loginCodes
    this.#proofs = parts.proofs
  }

  /** Under the org's lock, so that neither the provider, its domains nor the last seat change meanwhile. */
  async seat(
    vouching: ProviderRow,
    vouched: Vouched,
    { browser, from }: ReturningBrowser,
  ): Promise<LoginCode> {
    return this.#database.transaction(async (tx) => {
      const org = await this.#orgs.lock(tx, vouching.org)
      const provider = await this.#providers.ofOrg(org.id, tx)
      if (provider?.issuer !== vouching.issuer) throw noProvider()
      await refuseUnprovenDomain(tx, org, vouched.email)
      const member = await this.#takeSeat(tx, org, provider, { ...vouched, from })
      return this.#loginCodes.mintForMember(tx, member, browser)
    })
  }

  async #takeSeat(
    tx: Transaction,
    org: OrgRow,
    provider: ProviderRow,
    { email, name, from }: Vouched & { from: string },
  ) {
    await this.#proofs.lock(tx, email)
    const member = await store.findMember(tx, org.id, email)
    if (member?.status === 'disabled') throw forbidden(`${email} is disabled in ${org.slug}`)
    if (member) {
      await this.#proofs.prove(tx, email, member.id)
      if (member.status === 'invited') {
        await store.takeSeat(tx, member.id)
        await recordJoining(tx, { id: member.id, org: org.id, name, email }, from)
      }
      return member.id
    }
    const { role } = provider
    if (role === null) throw forbidden(`${email} is not invited to ${org.slug}`)
    await refusePastSeats(tx, org)
    await this.#proofs.prove(tx, email)
    const id = newId('mem', 6)
    await store.insertActive(tx, { id, org: org.id, email, name, role }, this.#clock.now())
    await recordJoining(tx, { id, org: org.id, name, email }, from)
    return id
  }
}

function recordJoining(tx: Transaction, person: Parameters<typeof actingPerson>[0], from: string) {
  const target = { kind: 'member', id: person.id, label: person.email } as const
  const detail = { by: 'single sign-on' }
  return recordAudit(tx, actingPerson(person, from), 'member.joined', target, { detail })
}

async function refuseUnprovenDomain(tx: Transaction, org: OrgRow, email: string) {
  const domain = domainOf(email)
  if (domain === undefined || !(await domainStore.isAnyVerified(tx, org.id, [domain])))
    throw forbidden(`${email} is not of a proven domain`)
}

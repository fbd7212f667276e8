import type { LoginCode } from '@switchroom/contract/sign-in'
import { actingPerson, recordAudit } from '../../audit/recording.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Clock } from '../../foundation/clock.ts'
import { forbidden } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'
import type { LoginCodes } from '../login-codes/login-codes.ts'
import { refusePastSeats } from '../members/members.ts'
import type { OrgRow, Orgs } from '../orgs/orgs.ts'
import { domainOf } from './domains.ts'
import * as domainStore from './domains.store.ts'
import type { Vouched } from './id-token.ts'
import { noProvider, type IdentityProviders, type ProviderRow } from './providers.ts'
import * as store from './seating.store.ts'

/** Lets in whom an org's provider vouched for. */
export class Seating {
  readonly #database: Database
  readonly #clock: Clock
  readonly #orgs: Orgs
  readonly #providers: IdentityProviders
  readonly #loginCodes: LoginCodes

  constructor(
    database: Database,
    clock: Clock,
    orgs: Orgs,
    providers: IdentityProviders,
    loginCodes: LoginCodes,
  ) {
    this.#database = database
    this.#clock = clock
    this.#orgs = orgs
    this.#providers = providers
    this.#loginCodes = loginCodes
  }

  /** Under the org's lock, so that neither the provider, its domains nor the last seat change meanwhile. */
  async seat(vouching: ProviderRow, vouched: Vouched, from: string): Promise<LoginCode> {
    return this.#database.transaction(async (tx) => {
      const org = await this.#orgs.lock(tx, vouching.org)
      const provider = await this.#providers.ofOrg(org.id, tx)
      if (provider?.issuer !== vouching.issuer) throw noProvider()
      await refuseUnprovenDomain(tx, org, vouched.email)
      return this.#loginCodes.mintForMember(tx, await this.#takeSeat(tx, org, provider, vouched, from))
    })
  }

  async #takeSeat(
    tx: Transaction,
    org: OrgRow,
    provider: ProviderRow,
    { email, name }: Vouched,
    from: string,
  ) {
    const member = await store.lockMember(tx, org.id, email)
    if (member?.status === 'disabled') throw forbidden(`${email} is disabled in ${org.slug}`)
    if (member) {
      await store.provePerson(tx, email)
      if (member.status === 'invited') {
        await store.takeSeat(tx, member.id)
        await recordJoining(tx, { id: member.id, org: org.id, name, email }, from)
      }
      return member.id
    }
    const { role } = provider
    if (role === null) throw forbidden(`${email} is not invited to ${org.slug}`)
    await refusePastSeats(tx, org)
    await store.provePerson(tx, email)
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

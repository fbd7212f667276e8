import { scopesOfRole } from '@switchroom/contract/scopes'
import type { AcceptedInvitation, AcceptInvitation, Invited } from '@switchroom/contract/members'
import type { Database, Transaction } from '../../database/database.ts'
import { later, weekMs, type Clock } from '../../foundation/clock.ts'
import { notFound } from '../../foundation/refusals.ts'
import { digestOf, newSecret } from '../../foundation/secrets.ts'
import { deviceOf } from '../../foundation/text.ts'
import type { Keys } from '../keys/keys.ts'
import type { Passwords } from '../passwords/passwords.ts'
import * as store from './invitations.store.ts'

const lifetimeMs = weekMs

/** One-use links with which a person chooses their password and takes their seat. */
export class Invitations {
  readonly #database: Database
  readonly #clock: Clock
  readonly #keys: Keys
  readonly #passwords: Passwords
  readonly #baseUrl: string

  constructor(database: Database, clock: Clock, keys: Keys, passwords: Passwords, baseUrl: string) {
    this.#database = database
    this.#clock = clock
    this.#keys = keys
    this.#passwords = passwords
    this.#baseUrl = baseUrl
  }

  /** A link that is not handed stays null: nobody but the person may hold it. */
  async issue(
    tx: Transaction,
    member: string,
    { handed, provesAddress }: { handed: boolean; provesAddress: boolean },
  ): Promise<Pick<Invited, 'token' | 'link' | 'expires_at'>> {
    const expires = later(this.#clock.now(), lifetimeMs)
    const expires_at = expires.toISOString()
    if (!handed) return { token: null, link: null, expires_at }
    const token = newSecret()
    await store.insertInvitation(tx, {
      digest: digestOf(token),
      member,
      purpose: 'invitation',
      handed,
      proves_address: provesAddress,
      expires_at: expires,
    })
    return { token, link: `${this.#baseUrl}/invitations/${token}`, expires_at }
  }

  /** The token is the credential. A refused password does not spend it. */
  async accept(token: string, { password, device }: AcceptInvitation): Promise<AcceptedInvitation> {
    const digest = digestOf(token)
    await this.#standing(this.#database, digest)
    this.#passwords.refuseUnfit(password)
    const hash = await this.#passwords.hash(password)

    return this.#database.transaction(async (tx) => {
      const seen = await this.#standing(tx, digest)
      await store.lockMemberAndPerson(tx, seen.id, seen.email)
      const member = await this.#standing(tx, digest) // of 20 uses at once, the one that holds the lock first
      await store.spendInvitations(tx, member.id, member.email)
      await store.keepPassword(tx, member.email, hash, member.proves_address)
      await store.takeSeat(tx, member.id)
      const minted = await this.#keys.mintForPerson(tx, member, deviceOf(device, 'sign-in'))
      const accepted = {
        ...member,
        status: 'active' as const,
        verified: member.proves_address,
        scopes: [...scopesOfRole[member.role]],
      }
      return { ...minted, member: accepted }
    })
  }

  async #standing(from: Database | Transaction, digest: Buffer): Promise<store.StandingInvitation> {
    const found = await store.findInvitation(from, digest, this.#clock.now())
    if (!found || !isGood(found)) throw notFound('that link is spent or was never made')
    return found
  }
}

/**
 * An invitation is good while its seat is not taken, a reset while its member is active. A handed link that
 * proves nothing would set the password of somebody who has since joined another org or chosen one.
 */
function isGood(link: store.StandingInvitation): boolean {
  if (link.status !== (link.purpose === 'invitation' ? 'invited' : 'active')) return false
  if (!link.handed || link.proves_address) return true
  return !link.is_elsewhere && !(link.purpose === 'invitation' && link.has_password)
}

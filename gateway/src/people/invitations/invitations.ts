import { scopesOfRole } from '@switchroom/contract/scopes'
import type { AcceptedInvitation, AcceptInvitation } from '@switchroom/contract/members'
import { actingPerson, recordAudit } from '../../audit/recording.ts'
import type { Database, Queryable } from '../../database/database.ts'
import type { Clock } from '../../foundation/clock.ts'
import { notFound } from '../../foundation/refusals.ts'
import { digestOf } from '../../foundation/secrets.ts'
import { cutToLine } from '../../foundation/text.ts'
import type { Keys } from '../keys/keys.ts'
import type { Mint } from '../keys/mint.ts'
import type { Passwords } from '../passwords/passwords.ts'
import type { Proofs } from '../proofs/proofs.ts'
import { providerOnly } from '../seats/sign-in-eligibility.ts'
import * as store from './invitations.store.ts'

/** With a one-use link a person chooses their password and, where they were invited, takes their seat. */
export class Invitations {
  readonly #database: Database
  readonly #clock: Clock
  readonly #mint: Mint
  readonly #passwords: Passwords
  readonly #keys: Keys
  readonly #proofs: Proofs

  constructor(parts: {
    database: Database
    clock: Clock
    mint: Mint
    passwords: Passwords
    keys: Keys
    proofs: Proofs
  }) {
    this.#database = parts.database
    this.#clock = parts.clock
    this.#mint = parts.mint
    this.#passwords = parts.passwords
    this.#keys = parts.keys
    this.#proofs = parts.proofs
  }

  /** The token is the credential. A refused password does not spend it. */
  async accept(token: string, wanted: AcceptInvitation, from: string): Promise<AcceptedInvitation> {
    const { password, device, keep_keys = false } = wanted
    const digest = digestOf(token)
    await this.#standing(this.#database, digest)
    this.#passwords.refuseUnfit(password)
    const hash = await this.#passwords.hash(password)

    return this.#database.transaction(async (tx) => {
      const seen = await this.#standing(tx, digest)
      await this.#proofs.lock(tx, seen.email)
      const member = await this.#standing(tx, digest) // of 20 uses at once, the one that holds the lock first
      await store.spendInvitations(tx, member.id, member.email)
      const isNewlyProven = member.proves_address && (await this.#proofs.prove(tx, member.email, member.id))
      if (!isNewlyProven && !keep_keys) await this.#keys.revokeOfPerson(tx, member.email)
      await store.keepPassword(tx, member.email, hash, member.proves_address)
      await store.takeSeat(tx, member.id)
      const minted = await this.#mint.forPerson(tx, member, cutToLine(device, 'sign-in'))
      const by = actingPerson(member, from, minted.key_id)
      const target = { kind: 'member', id: member.id, label: member.email } as const
      const { role, purpose } = member
      await recordAudit(tx, by, 'password.set', target, { detail: { by: purpose } })
      if (purpose === 'invitation')
        await recordAudit(tx, by, 'member.joined', target, { detail: { by: purpose, role } })
      const accepted = {
        ...member,
        status: 'active' as const,
        verified: member.proves_address,
        scopes: [...scopesOfRole[member.role]],
      }
      return { ...minted, member: accepted }
    })
  }

  async deleteExpired() {
    await store.deleteExpiredInvitations(this.#database, this.#clock.now())
  }

  async #standing(from: Queryable, digest: Buffer): Promise<store.StandingInvitation> {
    const found = await store.findInvitation(from, digest, this.#clock.now())
    if (!found || !isGood(found)) throw notFound('that link is spent or was never made')
    if (found.is_provider_only) throw providerOnly(found.slug)
    return found
  }
}

/**
 * An invitation is good while its seat is not taken, a reset while its member is active. A handed link that
 * proves nothing would set the password of somebody who has since joined another org or chosen one, and any
 * handed link that of an operator: of those only the one that the platform's own key was handed is good.
 */
function isGood(link: store.StandingInvitation): boolean {
  if (link.status !== (link.purpose === 'invitation' ? 'invited' : 'active')) return false
  if (!link.handed) return true
  if (link.proves_address) return !link.is_of_operator || !link.is_elsewhere
  if (link.is_elsewhere || link.is_of_operator) return false
  return !(link.purpose === 'invitation' && link.has_password)
}

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

/** One-use links with which a person chooses a password and, if they were invited, joins the org. */
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

  /** The token is the credential. A refused password does not use it up. */
  async accept(token: string, wanted: AcceptInvitation, from: string): Promise<AcceptedInvitation> {
    const { password, device, keep_keys = false } = wanted
    const digest = digestOf(token)
    await this.#validLink(this.#database, digest)
    this.#passwords.refuseUnfit(password)
    const hash = await this.#passwords.hash(password)

    return this.#database.transaction(async (tx) => {
      const seen = await this.#validLink(tx, digest)
      await this.#proofs.lock(tx, seen.email)
      const member = await this.#validLink(tx, digest) // of concurrent uses, the one that gets the lock first
      await store.spendInvitations(tx, member.id, member.email)
      const isNewlyProven = member.proves_address && (await this.#proofs.prove(tx, member.email, member.id))
      if (!isNewlyProven && !keep_keys) await this.#keys.revokeOfPerson(tx, member.email)
      await store.keepPassword(tx, member.email, hash, member.proves_address)
      if (!(await store.takeSeat(tx, member.id))) throw spent()
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

  async deleteExpired(database: Queryable = this.#database) {
    await store.deleteExpiredInvitations(database, this.#clock.now())
  }

  async #validLink(from: Queryable, digest: Buffer): Promise<store.StandingInvitation> {
    const found = await store.findInvitation(from, digest, this.#clock.now())
    if (!found || !isGood(found)) throw spent()
    if (found.is_provider_only) throw providerOnly(found.slug)
    return found
  }
}

const spent = () => notFound('that link is spent or was never made')

/**
 * An invitation is valid until the person joins, a reset while its member is active. A link handed to the caller
 * proves no address: it is void if the person has since joined another org or chosen a password, and for an
 * operator's address only the one handed to the platform's own key is valid.
 */
function isGood(link: store.StandingInvitation): boolean {
  if (link.status !== (link.purpose === 'invitation' ? 'invited' : 'active')) return false
  if (!link.handed) return true
  if (link.proves_address) return !link.is_of_operator || !link.is_elsewhere
  if (link.is_elsewhere || link.is_of_operator) return false
  return !(link.purpose === 'invitation' && link.has_password)
}

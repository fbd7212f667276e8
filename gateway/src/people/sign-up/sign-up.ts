import { randomInt } from 'node:crypto'
import { scopes } from '@switchroom/contract/scopes'
import type {
  ResendSignUp,
  SignedUp,
  SignUp,
  VerifiedSignUp,
  VerifySignUp,
} from '@switchroom/contract/sign-up'
import { actingPerson, recordAudit } from '../../audit/recording.ts'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import { dayMs, hourMs, later, minuteMs, type Clock } from '../../foundation/clock.ts'
import { badRequest, conflict, type Refusal } from '../../foundation/refusals.ts'
import type { SealedPlace, Vault } from '../../foundation/sealing.ts'
import { newId } from '../../foundation/secrets.ts'
import { addressOf, cutToLine, nameFrom, nameOf, normalAddress } from '../../foundation/text.ts'
import type { RateCounts } from '../../http/rate-counts.ts'
import { unlessTooManyLetters, type Letters } from '../../mail/letters.ts'
import type { Mint } from '../keys/mint.ts'
import type { LoginCodes } from '../login-codes/login-codes.ts'
import type { Orgs } from '../orgs/orgs.ts'
import type { Passwords } from '../passwords/passwords.ts'
import type { Proofs } from '../proofs/proofs.ts'
import * as store from './sign-up.store.ts'

const codeLifetimeMs = 15 * minuteMs
const mostTries = 6
const requestsAMinute = { name: 'sign-up', tries: 20, windowMs: minuteMs }
const lettersAnHour = { name: 'sign-up letters', tries: 5, windowMs: hourMs }

const wrong = () => badRequest('that code is wrong')
const burned = () => badRequest('that code was tried six times: ask for another')
const expired = () => badRequest('that code expired: ask for another')

/** The email that a sign-up sends. */
type Reply = 'code' | 'have-account' | 'accept-first'

/** Self-service sign-up: nothing is created until a code proves the address. */
export class SignUps {
  readonly #database: Database
  readonly #clock: Clock
  readonly #vault: Vault
  readonly #rateCounts: RateCounts
  readonly #letters: Letters
  readonly #passwords: Passwords
  readonly #orgs: Orgs
  readonly #mint: Mint
  readonly #codes: LoginCodes
  readonly #proofs: Proofs

  constructor(parts: {
    database: Database
    clock: Clock
    vault: Vault
    rateCounts: RateCounts
    letters: Letters
    passwords: Passwords
    orgs: Orgs
    mint: Mint
    loginCodes: LoginCodes
    proofs: Proofs
  }) {
    this.#database = parts.database
    this.#clock = parts.clock
    this.#vault = parts.vault
    this.#rateCounts = parts.rateCounts
    this.#letters = parts.letters
    this.#passwords = parts.passwords
    this.#orgs = parts.orgs
    this.#mint = parts.mint
    this.#codes = parts.loginCodes
    this.#proofs = parts.proofs
  }

  /** Every address gets the same answer; only the email differs. */
  async begin(wanted: SignUp, clientAddress: string): Promise<SignedUp> {
    await this.#admit(clientAddress)
    const slug = this.#orgs.slugOf(wanted.org)
    const email = addressOf(wanted.email)
    const name = wanted.name === undefined ? slug : nameOf(wanted.name)
    const person = wanted.person === undefined ? nameFrom(email) : nameOf(wanted.person)
    this.#passwords.refuseUnfit(wanted.password)
    if (await store.isSlugTaken(this.#database, slug)) throw conflict(`${slug} is taken`)

    const expires = later(this.#clock.now(), codeLifetimeMs)
    const { reply, hash } = await this.#judge(email, wanted.password)
    if (await this.#rateCounts.isAdmitted(lettersAnHour, [email]))
      await this.#database
        .transaction(async (tx) => {
          if (reply !== 'code')
            return this.#letters.queue(tx, {
              by: 'platform',
              askedBy: 'recipient',
              to: email,
              expiresAt: later(this.#clock.now(), dayMs),
              kind: reply,
            })
          const device = cutToLine(wanted.device, 'sign-in')
          await this.#postCode(tx, {
            email,
            slug,
            name,
            person,
            device,
            password_hash: hash,
            expires_at: expires,
          })
        })
        .catch(unlessTooManyLetters)
    return { email, code_expires_at: expires.toISOString() }
  }

  /** A wrong try is counted and refused, so the refusal is thrown after the transaction. */
  async verify({ email, code }: VerifySignUp, clientAddress: string): Promise<VerifiedSignUp> {
    await this.#admit(clientAddress)
    const address = normalAddress(email)
    const outcome = await this.#database.transaction(async (tx): Promise<VerifiedSignUp | Refusal> => {
      const pending = await store.lockPending(tx, address)
      if (!pending) return wrong()
      if (new Date(pending.expires_at) <= this.#clock.now()) return expired()
      if (pending.tries >= mostTries) return burned()
      if (!this.#vault.isMac(pending.code_mac, code, codePlace(address))) {
        await store.countWrongTry(tx, address)
        return wrong()
      }
      return this.#found(tx, pending, clientAddress)
    })
    if (outcome instanceof Error) throw outcome
    return outcome
  }

  async resend({ email }: ResendSignUp, clientAddress: string): Promise<void> {
    await this.#admit(clientAddress)
    const address = normalAddress(email)
    if (!(await store.isPending(this.#database, address))) return
    if (!(await this.#rateCounts.isAdmitted(lettersAnHour, [address]))) return
    await this.#database
      .transaction(async (tx) => {
        const pending = await store.lockPending(tx, address)
        if (pending)
          await this.#postCode(tx, { ...pending, expires_at: later(this.#clock.now(), codeLifetimeMs) })
      })
      .catch(unlessTooManyLetters)
  }

  /** Expired sign-ups are kept for a day, so that a late code is refused differently from a wrong one. */
  async deleteExpired(database: Queryable = this.#database) {
    await store.deleteExpiredSignUps(database, later(this.#clock.now(), -dayMs))
  }

  #admit(clientAddress: string) {
    return this.#rateCounts.admit(
      requestsAMinute,
      [clientAddress],
      `too many attempts for ${clientAddress}: try again in a minute`,
    )
  }

  /** One argon2id run in every case, so that the response time reveals nothing about the address. */
  async #judge(email: string, password: string): Promise<{ reply: Reply; hash: string }> {
    const person = await store.findPerson(this.#database, email)
    const standing = person?.password_hash
    if (standing && person.verified) {
      const matches = await this.#passwords.verify(password, standing)
      return { reply: matches ? 'code' : 'have-account', hash: standing }
    }
    const hash = await this.#passwords.hash(password)
    if (!person || standing) return { reply: 'code', hash } // a password without proof may be a stranger's
    return { reply: person.statuses.includes('invited') ? 'accept-first' : 'have-account', hash }
  }

  async #postCode(tx: Transaction, pending: Omit<store.PendingSignUp, 'code_mac'> & { expires_at: Date }) {
    const code = String(randomInt(1_000_000)).padStart(6, '0')
    await store.keepPending(tx, { ...pending, code_mac: this.#vault.mac(code, codePlace(pending.email)) })
    const { email, slug, name, person, expires_at } = pending
    const matter = { kind: 'sign-up', person, org: { slug, name }, code } as const
    const letter = { by: 'platform', askedBy: 'recipient', to: email, expiresAt: expires_at } as const
    await this.#letters.queue(tx, { ...letter, ...matter })
  }

  async #found(tx: Transaction, pending: store.PendingSignUp, from: string): Promise<VerifiedSignUp> {
    const { email, slug, name, person, device } = pending
    const org = await this.#orgs.createIn(tx, { slug, name })
    const member = {
      id: newId('mem', 6),
      email,
      name: person,
      role: 'admin',
      agents: [],
      status: 'active',
    } as const
    await this.#proofs.prove(tx, email)
    await store.keepPassword(tx, email, pending.password_hash)
    await store.seatFounder(tx, member.id, org.id, email, person, this.#clock.now())
    await store.deletePending(tx, email)
    const minted = await this.#mint.forPerson(tx, { ...member, org: org.id }, device)
    const { code: login } = await this.#codes.mintForKey(tx, minted.key_id)
    const by = actingPerson({ ...member, org: org.id }, from, minted.key_id)
    const detail = { by: 'sign-up' }
    await recordAudit(tx, by, 'org.created', { kind: 'org', id: org.id, label: slug }, { detail })
    const target = { kind: 'member', id: member.id, label: email } as const
    await recordAudit(tx, by, 'member.joined', target, { detail: { ...detail, role: member.role } })
    const standing = { scopes: [...scopes], operator: false, production: true, verified: true }
    return { ...minted, slug, member: { ...member, agents: [], ...standing }, login }
  }
}

const codePlace = (email: string): SealedPlace => `sign_ups:code:${email}`

import type { MintedKey } from '@switchroom/contract/keys'
import type { Credentials, OpenOrgList, SignIn } from '@switchroom/contract/sign-in'
import { recordAudit } from '../../audit/recording.ts'
import type { Database } from '../../database/database.ts'
import { badRequest, unauthorized } from '../../foundation/refusals.ts'
import { cutToLine, normalAddress } from '../../foundation/text.ts'
import type { RateCounts } from '../../http/rate-counts.ts'
import { holderOf, type Mint } from '../keys/mint.ts'
import type { LoginCodes } from '../login-codes/login-codes.ts'
import type { Passwords } from '../passwords/passwords.ts'
import { entryInto, opens } from '../seats/sign-in-eligibility.ts'
import type { Seat, Seats } from '../seats/seats.ts'
import * as store from './sign-in.store.ts'
import { signInTries, tooManyTries } from '../tries/tries.ts'

/** The one refusal for a wrong address, a wrong password and a wrong org. */
const nobodyAnswers = () => unauthorized('nobody answers to that email and password')

export interface SignInsParts {
  database: Database
  rateCounts: RateCounts
  passwords: Passwords
  seats: Seats
  mint: Mint
  loginCodes: LoginCodes
}

/** Sign-in with a password or a code. */
export class SignIns {
  readonly #parts: SignInsParts

  constructor(parts: SignInsParts) {
    this.#parts = parts
  }

  /** `browser` is the secret of a browser that started at a provider, or empty. */
  async signIn(
    { email, password, org, code, device }: SignIn,
    clientAddress: string,
    browser: string,
  ): Promise<MintedKey> {
    const named = device ?? undefined
    if (code != null && email == null && password == null)
      return this.#parts.loginCodes.redeem(code, named, { browser, from: clientAddress })
    if (code != null || email == null || password == null)
      throw badRequest('sign in with an email and a password, or with a code')
    const { seats, hash } = await this.#seatsOpenedBy({ email, password }, clientAddress)
    const wanted = { seat: chooseSeat(seats, org ?? undefined), hash }
    return this.#enter(wanted, cutToLine(named, 'sign-in'), clientAddress)
  }

  /** The orgs that this password signs in to; makes no key and accepts no invitation. */
  async orgs(credentials: Credentials, clientAddress: string): Promise<OpenOrgList> {
    const { seats } = await this.#seatsOpenedBy(credentials, clientAddress)
    const open = seats.filter(opens)
    return { orgs: open.map(({ org, slug, org_name, role }) => ({ org, slug, name: org_name, role })) }
  }

  /** Every seat of the person. One verification runs in every case, so that the response time reveals nothing. */
  async #seatsOpenedBy(
    { email, password }: Credentials,
    clientAddress: string,
  ): Promise<{ seats: Seat[]; hash: string | undefined }> {
    const address = normalAddress(email)
    await this.#parts.rateCounts.admit(signInTries, [address, clientAddress], tooManyTries(address))
    const [hash, seats] = await Promise.all([
      store.findPasswordHash(this.#parts.database, address),
      this.#parts.seats.of(address),
    ])
    const matches = await this.#parts.passwords.verifyOrStandIn(password, hash)
    if (!matches || seats.length === 0) throw nobodyAnswers()
    return { seats, hash }
  }

  /** Compares the password again under the seat's lock, because it may have changed since it was verified. */
  async #enter(
    { seat, hash }: { seat: Seat; hash: string | undefined },
    label: string,
    from: string,
  ): Promise<MintedKey> {
    return this.#parts.database.transaction(async (tx) => {
      const entered = await this.#parts.seats.enter(tx, seat, from)
      if (!entered || (await store.findPasswordHash(tx, seat.email)) !== hash) throw nobodyAnswers()
      const minted = await this.#parts.mint.forPerson(tx, entered, label)
      const target = { kind: 'key', id: minted.key_id, label } as const
      await recordAudit(tx, holderOf(minted, from), 'person.signed_in', target, {
        detail: { by: 'password' },
      })
      return minted
    })
  }
}

/** The named org, or the oldest that needs no invitation accepted; else the refusal of the oldest. */
function chooseSeat(seats: readonly Seat[], slug: string | undefined): Seat {
  if (slug !== undefined) {
    const seat = seats.find((row) => row.slug === slug)
    if (!seat) throw nobodyAnswers()
    return seat
  }
  const open = seats.find((row) => row.status === 'active' && !row.is_provider_only)
  if (open) return open
  const [oldest] = seats
  if (!oldest) throw nobodyAnswers()
  entryInto({ ...oldest, is_proven_elsewhere: false }) // a sign-in that names no org never accepts an invitation
  return oldest
}

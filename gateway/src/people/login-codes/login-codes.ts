import type { LoginCode } from '@switchroom/contract/sign-in'
import type { MintedKey } from '@switchroom/contract/keys'
import { recordAudit } from '../../audit/recording.ts'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { later, minuteMs, type Clock } from '../../foundation/clock.ts'
import { forbidden, notFound } from '../../foundation/refusals.ts'
import { digestOf, newSecret } from '../../foundation/secrets.ts'
import { cutToLine } from '../../foundation/text.ts'
import { holderOf, type Mint } from '../keys/mint.ts'
import * as store from './login-codes.store.ts'

const lifetimeMs = 5 * minuteMs

/** Codes that sign a browser in, so that no URL contains a key. */
export class LoginCodes {
  readonly #database: Database
  readonly #clock: Clock
  readonly #mint: Mint

  constructor(database: Database, clock: Clock, mint: Mint) {
    this.#database = database
    this.#clock = clock
    this.#mint = mint
  }

  /** Redeeming it gives a copy of the key that asks. */
  mint(caller: Caller): Promise<LoginCode> {
    return this.mintForKey(this.#database, caller.key_id)
  }

  mintForKey(database: Queryable, key: string): Promise<LoginCode> {
    return this.#keep(database, { key, member: null, browser: null })
  }

  /** For a person authenticated by a provider: redeemed in the browser that started, gives a new key of the member. */
  mintForMember(tx: Transaction, member: string, browser: string): Promise<LoginCode> {
    return this.#keep(tx, { key: null, member, browser: digestOf(browser) })
  }

  async redeem(
    code: string,
    device: string | undefined,
    { browser, from }: { browser: string; from: string },
  ): Promise<MintedKey> {
    const label = cutToLine(device, 'console')
    const [digest, now] = [digestOf(code), this.#clock.now()]
    return this.#database.transaction(async (tx) => {
      const member = await store.findMemberOfCode(tx, digest)
      if (member !== undefined) await this.#mint.lockMember(tx, member) // before the code, as a proof does
      const spent = await store.spendLoginCode(tx, digest, digestOf(browser), now)
      if (!spent && (await store.isUnspent(tx, digest, now)))
        throw forbidden('this sign-in began in another browser: sign in again in this one')
      const minted =
        (spent?.key && (await this.#mint.copy(tx, spent.key, label))) ||
        (spent?.member && (await this.#mint.forActiveMember(tx, spent.member, label)))
      if (!minted) throw notFound('that code is spent or was never made')
      const target = { kind: 'key', id: minted.key_id, label } as const
      const by = spent?.member ? 'single sign-on' : 'code'
      await recordAudit(tx, holderOf(minted, from), 'person.signed_in', target, { detail: { by } })
      return minted
    })
  }

  async deleteExpired(database: Queryable = this.#database) {
    await store.deleteExpiredLoginCodes(database, this.#clock.now())
  }

  async #keep(
    database: Queryable,
    of: Pick<store.NewLoginCode, 'key' | 'member' | 'browser'>,
  ): Promise<LoginCode> {
    const code = newSecret('lc_')
    const expires_at = later(this.#clock.now(), lifetimeMs)
    await store.insertLoginCode(database, { digest: digestOf(code), ...of, expires_at })
    return { code, expires_at: expires_at.toISOString() }
  }
}

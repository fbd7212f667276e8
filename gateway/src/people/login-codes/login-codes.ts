import type { LoginCode } from '@switchroom/contract/sign-in'
import type { MintedKey } from '@switchroom/contract/keys'
import { recordAudit } from '../../audit/recording.ts'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { later, minuteMs, type Clock } from '../../foundation/clock.ts'
import { notFound } from '../../foundation/refusals.ts'
import { digestOf, newSecret } from '../../foundation/secrets.ts'
import { cutToLine } from '../../foundation/text.ts'
import { holderOf, type Mint } from '../keys/mint.ts'
import * as store from './login-codes.store.ts'

const lifetimeMs = 5 * minuteMs

/** With a code a browser signs in, so that a key never rides a URL. */
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
    return this.#keep(database, { key, member: null })
  }

  /** For somebody a provider vouched for: redeeming it gives a new key of that member. */
  mintForMember(tx: Transaction, member: string): Promise<LoginCode> {
    return this.#keep(tx, { key: null, member })
  }

  async redeem(code: string, device: string | undefined, from: string): Promise<MintedKey> {
    const label = cutToLine(device, 'console')
    return this.#database.transaction(async (tx) => {
      const spent = await store.spendLoginCode(tx, digestOf(code), this.#clock.now())
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

  async forgetDead() {
    await store.forgetDeadLoginCodes(this.#database, this.#clock.now())
  }

  async #keep(database: Queryable, of: { key: string | null; member: string | null }): Promise<LoginCode> {
    const code = newSecret('lc_')
    const expires_at = later(this.#clock.now(), lifetimeMs)
    await store.insertLoginCode(database, { digest: digestOf(code), ...of, expires_at })
    return { code, expires_at: expires_at.toISOString() }
  }
}

import type { Database, Queryable } from '../../database/database.ts'
import { later, minuteMs, type Clock } from '../../foundation/clock.ts'
import { badRequest } from '../../foundation/refusals.ts'
import type { Vault } from '../../foundation/sealing.ts'
import { digestOf } from '../../foundation/secrets.ts'
import type { SignInSecrets } from './relying-party.ts'
import * as store from './begun-sign-ins.store.ts'

export const lifetimeMs = 10 * minuteMs

export interface BegunSignIn {
  org: string
  issuer: string
  secrets: SignInSecrets
  /** The pairing code of a terminal that waits, or empty. */
  pairing: string
}

export const placeOf = (digest: Buffer) => `sso_sign_ins:secrets:${digest.toString('hex')}` as const

/** Sign-ins between a browser's redirect to a provider and its return. */
export class BegunSignIns {
  readonly #database: Database
  readonly #clock: Clock
  readonly #vault: Vault

  constructor(database: Database, clock: Clock, vault: Vault) {
    this.#database = database
    this.#clock = clock
    this.#vault = vault
  }

  async keep({ org, issuer, ...kept }: BegunSignIn, browser: string) {
    const digest = digestOf(kept.secrets.state)
    await store.insertSignIn(this.#database, {
      digest,
      org,
      issuer,
      browser: digestOf(browser),
      secrets: this.#vault.seal(JSON.stringify(kept), placeOf(digest)),
      expires_at: later(this.#clock.now(), lifetimeMs),
    })
  }

  /** Undefined, without using it up, in a browser that did not start it. */
  async spend(state: string, browser: string): Promise<BegunSignIn | undefined> {
    const digest = digestOf(state)
    const now = this.#clock.now()
    const spent = await store.spendSignIn(this.#database, digest, digestOf(browser), now)
    if (spent) {
      const { org, issuer, secrets } = spent
      return { org, issuer, ...JSON.parse(this.#vault.open(secrets, placeOf(digest))) }
    }
    if (await store.isBegun(this.#database, digest, now)) return undefined
    throw badRequest('this sign-in was never started or has expired: sign in again')
  }

  async deleteExpired(database: Queryable = this.#database) {
    await store.deleteExpiredSignIns(database, this.#clock.now())
  }
}

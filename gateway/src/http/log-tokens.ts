import type { Database, Queryable, Transaction } from '../database/database.ts'
import type { Caller } from '../foundation/caller.ts'
import { hourMs, later, type Clock } from '../foundation/clock.ts'
import { unauthorized } from '../foundation/refusals.ts'
import { digestOf, newSecret } from '../foundation/secrets.ts'
import * as store from './log-tokens.store.ts'

export const logTokenPrefix = 'lt_'
const livesOnMs = hourMs

/** Tokens that each open the log of one call, and nothing else. */
export class LogTokens {
  readonly #database: Database
  readonly #clock: Clock

  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  /** Lives until an hour after the call ended, or for as long as is said. */
  async mint(tx: Transaction, call: string, lifetimeMs?: number): Promise<string> {
    const token = newSecret(logTokenPrefix)
    const expiresAt = lifetimeMs === undefined ? null : later(this.#clock.now(), lifetimeMs)
    await store.insertToken(tx, digestOf(token), call, expiresAt)
    return token
  }

  /** The caller that a token makes: it reads the call's log. */
  async caller(token: string, call: string): Promise<Caller> {
    const [opened] = await this.#living([digestOf(token)])
    if (opened?.call !== call) throw unauthorized('this token opens nothing here')
    return callerOf(opened)
  }

  /** Of the readers with these tokens, those that may still read. */
  async again(ids: readonly string[]): Promise<Map<string, Caller>> {
    const living = await this.#living(ids.map((id) => Buffer.from(id, 'hex')))
    return new Map(living.map((opened) => [idOf(opened), callerOf(opened)]))
  }

  async deleteExpired(database: Queryable = this.#database) {
    const now = this.#clock.now()
    await store.deleteExpired(database, now)
    await store.deleteEnded(database, later(now, -livesOnMs))
  }

  #living(digests: readonly Buffer[]): Promise<store.OpenedCall[]> {
    const now = this.#clock.now()
    return store.findLiving(this.#database, digests, now, later(now, -livesOnMs))
  }
}

const idOf = ({ digest }: store.OpenedCall) => digest.toString('hex')

const callerOf = (opened: store.OpenedCall): Caller => ({
  kind: 'token',
  org: opened.org,
  slug: opened.slug,
  key_id: idOf(opened),
  label: 'log token',
  env: opened.env,
  scopes: ['calls'],
  subject: '',
  name: '',
  email: null,
  operator: false,
  visiting: false,
  production: opened.env === 'production',
  agents: [],
  from: '',
})

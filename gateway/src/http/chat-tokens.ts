import type { Database, Queryable, Transaction } from '../database/database.ts'
import { participantIn, type Caller } from '../foundation/caller.ts'
import { hourMs, later, type Clock } from '../foundation/clock.ts'
import { unauthorized } from '../foundation/refusals.ts'
import { digestOf, newSecret } from '../foundation/secrets.ts'
import * as store from './chat-tokens.store.ts'

export const chatTokenPrefix = 'ct_'
const livesOnMs = hourMs

/** Tokens that each open the socket of one chat, and nothing else. */
export class ChatTokens {
  readonly #database: Database
  readonly #clock: Clock

  constructor(database: Database, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  async mint(tx: Transaction, call: string): Promise<string> {
    const token = newSecret(chatTokenPrefix)
    await store.insertToken(tx, digestOf(token), call)
    return token
  }

  /** The page that a token makes of a request that names the token's chat. */
  async caller(token: string, call: string, from: string): Promise<Caller> {
    const opened = await store.findChat(this.#database, digestOf(token))
    if (opened?.call !== call) throw unauthorized('this token opens one chat, and not this one')
    return participantIn(opened, call, from)
  }

  async deleteExpired(database: Queryable = this.#database) {
    await store.deleteEnded(database, later(this.#clock.now(), -livesOnMs))
  }
}

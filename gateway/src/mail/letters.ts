import type { Check } from '../database/due-checks.ts'
import type { SentLetter, TestLetter } from '@switchroom/contract/mail'
import type { Logger } from 'pino'
import type { Database, Transaction } from '../database/database.ts'
import { later, minuteMs, secondMs, type Clock } from '../foundation/clock.ts'
import type { SealedPlace, Vault } from '../foundation/sealing.ts'
import { newId } from '../foundation/secrets.ts'
import { addressOf } from '../foundation/text.ts'
import { TooManyLetters, type AskedBy, type LetterCounts } from './letter-counts.ts'
import * as store from './letters.store.ts'
import type { AddressedLetter, Mailboxes, Sender } from './mailboxes.ts'

export type ClaimedLetter = store.LetterRow

export type QueuedLetter = AddressedLetter & {
  /**
   * An org's letter goes by the mailbox that the org has when it is sent. One whose link proves an address is the
   * platform's, for the admin of the org's mailbox could read it.
   */
  by: Sender
  askedBy: AskedBy
  /** The end of its link's life: it is not sent later. */
  expiresAt: Date
}

/** Longer than a letter may take: one that is still here then was lost with its gateway. */
const claimMs = 30 * secondMs
const retriesAfterMs = [30 * secondMs, 5 * minuteMs]

/** Letters wait in the database, sealed, and are sent off the request's path by any gateway. */
export class Letters {
  /** Called when a letter of this gateway is in the queue. */
  onQueued = () => {}
  readonly #database: Database
  readonly #clock: Clock
  readonly #vault: Vault
  readonly #mailboxes: Mailboxes
  readonly #logger: Logger
  readonly #counts: LetterCounts

  constructor(parts: {
    database: Database
    clock: Clock
    vault: Vault
    mailboxes: Mailboxes
    logger: Logger
    letterCounts: LetterCounts
  }) {
    this.#database = parts.database
    this.#clock = parts.clock
    this.#vault = parts.vault
    this.#mailboxes = parts.mailboxes
    this.#logger = parts.logger
    this.#counts = parts.letterCounts
  }

  /** The letter is kept with the transaction; one too many of the day refuses all of it. */
  async queue(tx: Transaction, { by, askedBy, expiresAt, ...letter }: QueuedLetter): Promise<void> {
    await this.#counts.admit(tx, askedBy, letter.to)
    const id = newId('letter', 8)
    const sealed = this.#vault.seal(JSON.stringify(letter), placeOf(id))
    const owner = by === 'platform' ? by : by.org
    await store.insertLetter(tx, { id, owner, letter: sealed }, this.#clock.now(), expiresAt)
    tx.afterCommit(() => this.onQueued())
  }

  /** A test that an org asks for is sent at once, and counts as any letter of theirs. */
  async sendTest(org: string, { to }: TestLetter): Promise<SentLetter> {
    const address = addressOf(to)
    await this.#database.transaction((tx) => this.#counts.admit(tx, { org }, address))
    return this.#mailboxes.sendTest({ org }, { to: address })
  }

  /** Takes the letter that waits longest, so that no other gateway sends it too. */
  /** Whether one waits. */
  get due(): Check {
    return store.dueCheck(this.#clock.now())
  }

  async claim(exceptOwners: string[]): Promise<ClaimedLetter | undefined> {
    const now = this.#clock.now()
    return store.claimLetter(this.#database, now, later(now, claimMs), exceptOwners)
  }

  async send(claimed: ClaimedLetter, stopping: AbortSignal): Promise<void> {
    if (new Date(claimed.expires_at) <= this.#clock.now())
      return this.#drop(claimed, 'the life of its link is over')
    const error = await this.#attempt(claimed, stopping)
    if (error === null) return void (await store.deleteLetter(this.#database, claimed.id))
    const waitMs = retriesAfterMs[claimed.tries]
    if (waitMs === undefined) return this.#drop(claimed, error)
    await store.postponeLetter(this.#database, claimed, later(this.#clock.now(), waitMs))
  }

  /** Why it was not sent, or null. */
  async #attempt({ id, owner, letter }: ClaimedLetter, stopping: AbortSignal): Promise<string | null> {
    try {
      const opened: AddressedLetter = JSON.parse(this.#vault.open(letter, placeOf(id)))
      const by = owner === 'platform' ? owner : { org: owner }
      return (await this.#mailboxes.send(by, opened, stopping)).error
    } catch (failure) {
      return (failure as Error).message
    }
  }

  async #drop({ id, owner }: ClaimedLetter, reason: string) {
    await store.deleteLetter(this.#database, id)
    this.#logger.warn({ letter: id, owner, reason }, 'dropped a letter')
  }
}

/** For callers that must not learn that a letter was not written. */
export function unlessTooManyLetters(error: unknown) {
  if (!(error instanceof TooManyLetters)) throw error
}

export const placeOf = (id: string): SealedPlace => `letters:letter:${id}`

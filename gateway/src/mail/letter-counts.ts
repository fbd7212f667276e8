import type { Queryable } from '../database/database.ts'
import { dayMs } from '../foundation/clock.ts'
import { Refusal } from '../foundation/refusals.ts'
import type { LimitSettings } from '../foundation/limit-settings.ts'
import type { RateCounts, RateLimit } from '../http/rate-counts.ts'

/** Who asks for a letter: an org, or any visitor who types the recipient's address. */
export type AskedBy = { org: string } | 'recipient'

/** A letter that one count too many keeps from being written; the status and the sentence are the count's. */
export class TooManyLetters extends Refusal {}

/**
 * How many letters are written in a day. What an org asks for is counted apart from what is asked in the
 * recipient's own name, so that no org can use up a person's password resets.
 */
export class LetterCounts {
  readonly #rateCounts: RateCounts
  readonly #perOrg: RateLimit
  readonly #perRecipient: RateLimit
  readonly #ownPerRecipient: RateLimit

  constructor(rateCounts: RateCounts, limits: Pick<LimitSettings, 'lettersPerOrg' | 'lettersPerRecipient'>) {
    const aDay = (name: string, tries: number) => ({ name, tries, windowMs: dayMs })
    this.#rateCounts = rateCounts
    this.#perOrg = aDay('letters of an org', limits.lettersPerOrg)
    this.#perRecipient = aDay('letters to a recipient', limits.lettersPerRecipient)
    this.#ownPerRecipient = aDay("letters in a recipient's name", limits.lettersPerRecipient)
  }

  /** Counted with the letter's transaction: both, or none. */
  async admit(tx: Queryable, askedBy: AskedBy, to: string) {
    const limit = askedBy === 'recipient' ? this.#ownPerRecipient : this.#perRecipient
    const toOne = `${to} was sent ${limit.tries} emails in the last day: try again tomorrow`
    await this.#admit(tx, limit, mailboxOf(to), toOne)
    if (askedBy === 'recipient') return
    const ofOne = `this org sent ${this.#perOrg.tries} emails in the last day: try again tomorrow, or ask the operator for more`
    await this.#admit(tx, this.#perOrg, askedBy.org, ofOne)
  }

  async #admit(tx: Queryable, limit: RateLimit, subject: string, sentence: string) {
    await this.#rateCounts.admit(limit, [subject], sentence, tx).catch((error: unknown) => {
      if (error instanceof Refusal) throw new TooManyLetters(error.status, error.message, error.headers)
      throw error
    })
  }
}

/** What follows a + is in the same mailbox. */
function mailboxOf(address: string): string {
  const at = address.lastIndexOf('@')
  const [mailbox] = address.slice(0, at).split('+')
  return `${mailbox}${address.slice(at)}`
}

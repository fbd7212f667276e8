import type { AskReset } from '@switchroom/contract/sign-in'
import { recordAudit, system } from '../../audit/recording.ts'
import type { Database } from '../../database/database.ts'
import { hourMs } from '../../foundation/clock.ts'
import { normalAddress } from '../../foundation/text.ts'
import type { RateCounts } from '../../http/rate-counts.ts'
import { unlessTooManyLetters } from '../../mail/letters.ts'
import type { Mailboxes } from '../../mail/mailboxes.ts'
import type { Links } from '../invitations/links.ts'
import { signInTries, tooManyTries } from '../tries/tries.ts'
import * as store from './resets.store.ts'

const lettersAnHour = { name: 'reset letters', tries: 5, windowMs: hourMs }

/** A forgotten password. The answer tells nothing of the address: what is made for it is made afterwards. */
export class Resets {
  readonly #database: Database
  readonly #rateCounts: RateCounts
  readonly #mailboxes: Mailboxes
  readonly #links: Links
  readonly #onFailure: (error: unknown) => void
  readonly #running = new Set<Promise<void>>()

  constructor(
    database: Database,
    rateCounts: RateCounts,
    mailboxes: Mailboxes,
    links: Links,
    onFailure: (error: unknown) => void,
  ) {
    this.#database = database
    this.#rateCounts = rateCounts
    this.#mailboxes = mailboxes
    this.#links = links
    this.#onFailure = onFailure
  }

  async ask({ email }: AskReset, clientAddress: string): Promise<void> {
    const address = normalAddress(email)
    await this.#rateCounts.admit(signInTries, [address, clientAddress], tooManyTries(address))
    const running = this.#post(address, clientAddress)
      .catch(this.#onFailure)
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** Whatever was begun after an answer is done. */
  async settled() {
    await Promise.all(this.#running)
  }

  async #post(address: string, from: string): Promise<void> {
    if (!(await this.#mailboxes.canPlatformSend())) return
    const member = await store.findResettable(this.#database, address)
    if (!member || !(await this.#rateCounts.isAdmitted(lettersAnHour, [address]))) return
    const posted = this.#database.transaction(async (tx) => {
      await this.#links.postReset(tx, member, member.org_name)
      const target = { kind: 'member', id: member.id, label: address } as const
      await recordAudit(tx, { ...system, org: member.org, from }, 'password.reset_asked', target)
    })
    await posted.catch(unlessTooManyLetters)
  }
}

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

export interface ResetsParts {
  database: Database
  rateCounts: RateCounts
  mailboxes: Mailboxes
  links: Links
  onFailure: (error: unknown) => void
}

/** Forgotten passwords. The answer reveals nothing about the address: the work is done after it. */
export class Resets {
  readonly #parts: ResetsParts
  readonly #running = new Set<Promise<void>>()

  constructor(parts: ResetsParts) {
    this.#parts = parts
  }

  async ask({ email }: AskReset, clientAddress: string): Promise<void> {
    const address = normalAddress(email)
    await this.#parts.rateCounts.admit(signInTries, [address, clientAddress], tooManyTries(address))
    const running = this.#post(address, clientAddress)
      .catch(this.#parts.onFailure)
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** Resolves once the work after earlier answers is done. */
  async settled() {
    await Promise.all(this.#running)
  }

  async #post(address: string, from: string): Promise<void> {
    if (!(await this.#parts.mailboxes.canPlatformSend())) return
    const { database, rateCounts } = this.#parts
    if (!(await store.findResettable(database, address))) return
    if (!(await rateCounts.isAdmitted(lettersAnHour, [address]))) return
    const posted = database.transaction(async (tx) => {
      const member = await store.findResettable(tx, address)
      if (!member) return // removed meanwhile
      await this.#parts.links.postReset(tx, member, member.org_name)
      const target = { kind: 'member', id: member.id, label: address } as const
      await recordAudit(tx, { ...system, org: member.org, from }, 'password.reset_asked', target)
    })
    await posted.catch(unlessTooManyLetters)
  }
}

import type { Invited } from '@switchroom/contract/members'
import type { Transaction } from '../../database/database.ts'
import { later, weekMs, type Clock } from '../../foundation/clock.ts'
import { digestOf, newSecret } from '../../foundation/secrets.ts'
import type { AskedBy } from '../../mail/letter-counts.ts'
import type { Letters } from '../../mail/letters.ts'
import type { Mailboxes } from '../../mail/mailboxes.ts'
import { conflict } from '../../foundation/refusals.ts'
import * as store from './invitations.store.ts'

const lifetimeMs = weekMs

export interface LinkedMember {
  id: string
  org: string
  email: string
  name: string
}

export interface WantedLink {
  purpose: 'invitation' | 'reset'
  /** The address is a member of another org, for which this link would set the password too. */
  isElsewhere: boolean
  /** The address is an operator's: the owner of this link would run the platform. */
  isOperator: boolean
  /** A member, a person made operator, or the platform's own key. */
  askedBy: 'member' | 'operator' | 'platform key'
}

/** The mailboxes that can send the org's mail. */
export interface MailOptions {
  orgName: string
  org: 'org' | 'platform' | undefined
  platform: boolean
}

/** Makes, returns and mails one-use links, such that no link sets a password of another org's member. */
export class Links {
  readonly #clock: Clock
  readonly #mailboxes: Mailboxes
  readonly #letters: Letters
  readonly #baseUrl: string

  constructor(clock: Clock, mailboxes: Mailboxes, letters: Letters, baseUrl: string) {
    this.#clock = clock
    this.#mailboxes = mailboxes
    this.#letters = letters
    this.#baseUrl = baseUrl
  }

  /** Call it before the transaction, which must not wait for another connection. */
  async postingFor(org: string, orgName: string): Promise<MailOptions> {
    const [by, platform] = await Promise.all([
      this.#mailboxes.canOrgSend(org),
      this.#mailboxes.canPlatformSend(),
    ])
    return { orgName, org: by, platform }
  }

  /**
   * Returns a link to the caller, unless the address is in another org or an operator's. Mail from the platform's
   * mailbox carries a link of its own, which proves the address; mail from the org's mailbox, which the org may read,
   * carries the returned one.
   */
  async issue(
    tx: Transaction,
    member: LinkedMember,
    wanted: WantedLink,
    posting: MailOptions,
  ): Promise<Omit<Invited, 'member'>> {
    const { purpose, askedBy } = wanted
    const isMailOnly = isForMailAlone(wanted, posting)
    if (isMailOnly && !wanted.isElsewhere && !posting.platform)
      throw conflict(
        `${member.name} is an operator, whose link only the platform's mailbox may carry: set one up with PUT /v1/ops/mail`,
      )
    const expires = later(this.#clock.now(), lifetimeMs)
    const keep = (handed: boolean, proves_address: boolean) =>
      this.#keep(tx, { member: member.id, purpose, handed, proves_address, expires_at: expires })

    // Without a mailbox the operator's word is the only proof there is.
    const operatorsWord = askedBy !== 'member' && !posting.platform
    const token = isMailOnly ? null : await keep(true, operatorsWord)
    const by = isMailOnly ? (posting.platform ? 'platform' : undefined) : posting.org
    if (by !== undefined) {
      const posted = by === 'org' && token !== null ? token : await keep(false, true)
      await this.#post(tx, member, {
        purpose,
        orgName: posting.orgName,
        by,
        link: this.#linkOf(posted),
        expires,
        askedBy: { org: member.org },
      })
    }
    const link = token === null ? null : this.#linkOf(token)
    return { token, link, expires_at: expires.toISOString(), mailed: by !== undefined }
  }

  /** For a forgotten password: only the platform's email has the link. */
  async postReset(tx: Transaction, member: LinkedMember, orgName: string) {
    const expires = later(this.#clock.now(), lifetimeMs)
    const kept = {
      member: member.id,
      purpose: 'reset',
      handed: false,
      proves_address: true,
      expires_at: expires,
    } as const
    const link = this.#linkOf(await this.#keep(tx, kept))
    await this.#post(tx, member, {
      purpose: 'reset',
      orgName,
      by: 'platform',
      link,
      expires,
      askedBy: 'recipient',
    })
  }

  async #keep(tx: Transaction, invitation: Omit<store.NewInvitation, 'digest'>): Promise<string> {
    const token = newSecret()
    await store.insertInvitation(tx, { digest: digestOf(token), ...invitation })
    return token
  }

  async #post(
    tx: Transaction,
    { email, org, name }: LinkedMember,
    letter: {
      purpose: 'invitation' | 'reset'
      orgName: string
      by: 'org' | 'platform'
      link: string
      expires: Date
      askedBy: AskedBy
    },
  ) {
    const by = letter.by === 'org' ? { org } : ('platform' as const)
    const { purpose, orgName, link, askedBy } = letter
    await this.#letters.queue(tx, {
      by,
      askedBy,
      to: email,
      expiresAt: letter.expires,
      kind: purpose,
      name,
      orgName,
      link,
    })
  }

  #linkOf(token: string): string {
    return `${this.#baseUrl}/invitations/${token}`
  }
}

/** Without a mailbox the platform's own key, which has more rights already, gets the first operator's link. */
function isForMailAlone(
  { purpose, isElsewhere, isOperator, askedBy }: WantedLink,
  { platform }: MailOptions,
) {
  const isFirstOperator = askedBy === 'platform key' && purpose === 'invitation' && !platform
  return isElsewhere || (isOperator && !isFirstOperator)
}

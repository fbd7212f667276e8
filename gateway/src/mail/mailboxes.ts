import type { Brand } from '@switchroom/contract/discovery'
import type {
  Mailbox,
  MailboxWrite,
  PlatformMailbox,
  SentLetter,
  TestLetter,
} from '@switchroom/contract/mail'
import { changedFields, recordAudit } from '../audit/recording.ts'
import type { Database, Transaction } from '../database/database.ts'
import type { Actor, Caller, Operator } from '../foundation/caller.ts'
import { secondMs, type Clock } from '../foundation/clock.ts'
import type { PublicAddresses } from '../foundation/public-addresses.ts'
import { conflict, notFound } from '../foundation/refusals.ts'
import type { SealedPlace, Vault } from '../foundation/sealing.ts'
import { addressOf } from '../foundation/text.ts'
import { letterText, type LetterMatter } from './letter-texts.ts'
import { accountOf, type MailAccount } from './mailbox-values.ts'
import * as store from './mailboxes.store.ts'
import { failureSentence } from './smtp-failures.ts'
import { sendBySmtp } from './smtp.ts'

/** Whose letter it is: an org's goes by its own mailbox if it keeps one, the platform's never does. */
export type Sender = { org: string } | 'platform'

export type AddressedLetter = { to: string } & LetterMatter

const platform = 'platform'
const sendWithinMs = 20 * secondMs

interface Parts {
  database: Database
  clock: Clock
  vault: Vault
  addresses: PublicAddresses
  environment: MailAccount | undefined
  brand: () => Promise<Brand>
  /** Locks the caller's org, and refuses a key that holds less than one of its members. */
  lockHoldingAll: (tx: Transaction, caller: Caller, why: string) => Promise<void>
}

const carriesLinks = 'the mailbox carries the sign-in links of every member'

/** The SMTP accounts letters go by. What is configured decides; one that fails says so and no other is tried. */
export class Mailboxes {
  readonly #database: Database
  readonly #clock: Clock
  readonly #vault: Vault
  readonly #addresses: PublicAddresses
  readonly #environment: MailAccount | undefined
  readonly #brand: Parts['brand']
  readonly #lockHoldingAll: Parts['lockHoldingAll']

  constructor({ database, clock, vault, addresses, environment, brand, lockHoldingAll }: Parts) {
    this.#database = database
    this.#clock = clock
    this.#vault = vault
    this.#addresses = addresses
    this.#environment = environment
    this.#brand = brand
    this.#lockHoldingAll = lockHoldingAll
  }

  async read(org: string): Promise<Mailbox> {
    return mailboxOf(await store.findMailbox(this.#database, org))
  }

  async readPlatform(): Promise<PlatformMailbox> {
    const row = await store.findMailbox(this.#database, platform)
    if (row) return { ...mailboxOf(row), source: 'stored' }
    if (!this.#environment) return { ...mailboxOf(undefined), source: null }
    const reported = { verified_at: null, last_error: null }
    return { ...mailboxOf({ ...this.#environment, ...reported }), source: 'environment' }
  }

  async keep(caller: Caller, written: MailboxWrite): Promise<Mailbox> {
    const account = accountOf(written)
    await this.#database.transaction(async (tx) => {
      await this.#lockHoldingAll(tx, caller, carriesLinks)
      await this.#keep(tx, caller.org, account, caller, 'mailbox.set')
    })
    return this.read(caller.org)
  }

  async keepPlatform(by: Operator, written: MailboxWrite): Promise<PlatformMailbox> {
    const account = accountOf(written)
    await this.#database.transaction((tx) => this.#keep(tx, platform, account, by, 'platform.mail_set'))
    return this.readPlatform()
  }

  async forget(caller: Caller): Promise<void> {
    await this.#database.transaction(async (tx) => {
      await this.#lockHoldingAll(tx, caller, carriesLinks)
      const gone = await store.forgetMailbox(tx, caller.org)
      if (!gone) throw notFound('this org keeps no mailbox')
      const target = { kind: 'mailbox', label: gone.host } as const
      await recordAudit(tx, caller, 'mailbox.removed', target, { env: null })
    })
  }

  async forgetPlatform(by: Operator): Promise<void> {
    await this.#database.transaction(async (tx) => {
      const gone = await store.forgetMailbox(tx, platform)
      if (!gone) throw notFound('no mailbox is stored')
      await recordAudit(tx, by, 'platform.mail_removed', { kind: 'mailbox', label: gone.host })
    })
  }

  /** Whether one is configured: nothing is probed, and a failure before changes nothing. */
  async canPlatformSend(): Promise<boolean> {
    return (await this.#mailboxFor(platform)) !== undefined
  }

  /** By whose mailbox a letter of this org would go now. */
  async canOrgSend(org: string): Promise<'org' | 'platform' | undefined> {
    const mailbox = await this.#mailboxFor({ org })
    return mailbox && (mailbox.isOrgs ? 'org' : platform)
  }

  async sendTest(by: Sender, { to }: TestLetter): Promise<SentLetter> {
    return this.send(by, { to: addressOf(to), kind: 'test' })
  }

  /** Sends now and waits for the outcome, at most twenty seconds. */
  async send(by: Sender, letter: AddressedLetter, stopping?: AbortSignal): Promise<SentLetter> {
    const mailbox = await this.#mailboxFor(by)
    if (!mailbox) throw conflict('no mailbox can send')
    const error = await this.#attempt(mailbox, letter, stopping)
    if (mailbox.row)
      await store.reportLetter(this.#database, mailbox.row, error === null ? this.#clock.now() : null, error)
    return { sent: error === null, error }
  }

  async #keep(
    tx: Transaction,
    owner: string,
    account: MailAccount,
    by: Actor,
    action: 'mailbox.set' | 'platform.mail_set',
  ) {
    const password = account.password === null ? null : this.#vault.seal(account.password, placeOf(owner))
    const before = (await store.findMailbox(tx, owner)) ?? {}
    await store.keepMailbox(tx, { ...account, owner, password }, this.#clock.now())
    const { host, port, security, username, from } = account
    const changed = changedFields(before, { host, port, security, username, from })
    const detail = { ...changed, password_given: password !== null }
    await recordAudit(tx, by, action, { kind: 'mailbox', label: host }, { env: null, detail })
  }

  async #mailboxFor(by: Sender): Promise<ChosenMailbox | undefined> {
    const own = by === platform ? undefined : await store.findMailbox(this.#database, by.org)
    if (own) return { row: own, isOrgs: true }
    const stored = await store.findMailbox(this.#database, platform)
    if (stored) return { row: stored, isOrgs: false }
    return this.#environment && { environment: this.#environment, isOrgs: false }
  }

  /** Why it was not sent, or null. */
  async #attempt(
    mailbox: ChosenMailbox,
    letter: AddressedLetter,
    stopping?: AbortSignal,
  ): Promise<string | null> {
    const account = this.#accountOf(mailbox)
    if (!account) return 'the password of this mailbox does not open: write the mailbox again'
    const signal = AbortSignal.any([AbortSignal.timeout(sendWithinMs), ...(stopping ? [stopping] : [])])
    const { isOrgs } = mailbox
    const wire = {
      connect: (...to: Parameters<PublicAddresses['connect']>) =>
        isOrgs ? this.#addresses.connect(...to) : this.#addresses.connectForOperator(...to),
      tls: this.#addresses.tls,
      mayBeClear: mailbox.row === undefined,
    }
    try {
      const brand = await this.#brand()
      await sendBySmtp(account, { to: letter.to, ...letterText(brand, letter) }, wire, signal)
      return null
    } catch (failure) {
      return failureSentence(account.host, failure, signal.aborted)
    }
  }

  #accountOf({ row, environment }: ChosenMailbox): MailAccount | undefined {
    if (!row) return environment
    try {
      const password = row.password && this.#vault.open(row.password, placeOf(row.owner))
      return { ...row, password }
    } catch {
      return undefined // sealed for another row
    }
  }
}

type ChosenMailbox = { isOrgs: boolean; row?: store.MailboxRow; environment?: MailAccount }

export const placeOf = (owner: string): SealedPlace => `mailboxes:password:${owner}`

type Reported = Omit<MailAccount, 'password'> & Pick<Mailbox, 'verified_at' | 'last_error'>

/** Every field is named here, so that a password can never be among them. */
function mailboxOf(kept: Reported | undefined): Mailbox {
  return {
    configured: kept !== undefined,
    host: kept?.host ?? null,
    port: kept?.port ?? null,
    security: kept?.security ?? null,
    username: kept?.username ?? null,
    from: kept?.from ?? null,
    verified_at: kept?.verified_at ?? null,
    last_error: kept?.last_error ?? null,
  }
}

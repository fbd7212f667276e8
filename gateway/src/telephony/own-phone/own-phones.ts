import { randomInt, timingSafeEqual } from 'node:crypto'
import type { OwnPhone, PhoneCodeSent, PhoneVerified } from '@switchroom/contract/own-phone'
import { recordAudit } from '../../audit/recording.ts'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { dayMs, hourMs, later, minuteMs, type Clock } from '../../foundation/clock.ts'
import { badRequest, forbidden, listed, unavailable } from '../../foundation/refusals.ts'
import { digestOf, newId } from '../../foundation/secrets.ts'
import type { TelephonySettings } from '../../foundation/telephony-settings.ts'
import { cutToLine } from '../../foundation/text.ts'
import type { RateCounts } from '../../http/rate-counts.ts'
import type { ApiCarrier } from '../carriers/api-carrier.ts'
import { readCalled } from '../dialling/called-number.ts'
import { phoneBook } from '../dialling/phone-book.ts'
import * as store from './own-phones.store.ts'

const lifetimeMs = 10 * minuteMs
const mostTries = 6
const codes = { name: 'phone-codes', tries: 3, windowMs: hourMs }

export interface OwnPhonesParts {
  database: Database
  clock: Clock
  rateCounts: RateCounts
  carrier: Pick<ApiCarrier, 'sendText'>
  settings: Pick<TelephonySettings, 'ownCarrier' | 'verifyFrom' | 'verifyTexts'>
}

/** The one phone that each member verified, in this org. */
export class OwnPhones {
  readonly #parts: OwnPhonesParts

  constructor(parts: OwnPhonesParts) {
    this.#parts = parts
  }

  /** Sends a code to the number; the phone they had stays theirs until the new one is verified. */
  async sendCode(caller: Caller, number: string): Promise<PhoneCodeSent> {
    const { database, clock, carrier } = this.#parts
    const { ownCarrier, verifyFrom } = this.#parts.settings
    if (!ownCarrier || verifyFrom === undefined)
      throw unavailable(
        'this deployment sends no codes: the operator sets SVC_VERIFY_FROM and SVC_CARRIER_ACCOUNT_SID',
      )
    if (!this.#parts.settings.verifyTexts.areSent)
      throw forbidden('this deployment sends no codes: the operator turned them off with SVC_VERIFY_TEXTS')
    const { fault } = await readCalled(number)
    if (fault !== null) throw badRequest(`${cutToLine(number, 'an empty number')} gets no code: ${fault}`)
    await this.#refuseCountry(number)
    const owner = ownerOf(caller)
    const id = newId('pc', 12)
    const code = String(randomInt(1_000_000)).padStart(6, '0')
    const askedAt = clock.now()
    const expiresAt = later(askedAt, lifetimeMs)
    const kept = { id, number, digest: digestOfCode(id, code), askedAt, expiresAt }
    await database.transaction(async (tx) => {
      await this.#count(tx, owner, number)
      await store.insertCode(tx, owner, kept)
    })
    await carrier.sendText(ownCarrier, {
      to: number,
      from: verifyFrom,
      body: `${code} is your code. It works for ${lifetimeMs / minuteMs} minutes, and once.`,
    })
    return { number, verified: false, expires_at: expiresAt.getTime() / 1000 }
  }

  /** All in one transaction, so that a text which one count refuses is in none of them. */
  async #count(tx: Transaction, { org, member }: store.Owner, number: string) {
    const { rateCounts, settings } = this.#parts
    const { perNumber, perOrg, perDay } = settings.verifyTexts
    const aDay = (what: string, tries: number) => ({ name: `phone-codes ${what}`, tries, windowMs: dayMs })
    const sentence = 'three codes were sent in the last hour: wait before you ask for another'
    await rateCounts.admit(codes, [org, member], sentence, tx)
    await rateCounts.admit(
      aDay('number', perNumber),
      [number],
      `${perNumber} codes were sent to ${number} in the last day: try again tomorrow`,
      tx,
    )
    await rateCounts.admit(
      aDay('org', perOrg),
      [org],
      `this org was sent ${perOrg} codes in the last day: try again tomorrow, or ask the operator for more`,
      tx,
    )
    await rateCounts.admit(
      aDay('deployment', perDay),
      [],
      `this deployment sent ${perDay} codes in the last day: try again tomorrow, or ask the operator for more`,
      tx,
    )
  }

  async #refuseCountry(number: string) {
    const { countries } = this.#parts.settings.verifyTexts
    if (!countries) return
    const country = (await phoneBook()).countryOf(number)
    if (country === null || !countries.includes(country))
      throw forbidden(`${number} gets no code: this deployment sends them to ${listed(countries)} alone`)
  }

  async verify(caller: Caller, number: string, code: string): Promise<PhoneVerified> {
    const { database, clock } = this.#parts
    const owner = ownerOf(caller)
    const isRight = await database.transaction(async (tx) => {
      const sent = await store.lockCode(tx, owner)
      if (!sent) return false
      if (!isLive(sent, clock.now()) || sent.number !== number || !isCodeOf(sent, code)) {
        await store.countTry(tx, sent.id)
        return false
      }
      await store.spendCodes(tx, owner)
      await store.keepPhone(tx, owner, number, clock.now())
      await recordAudit(tx, caller, 'phone.verified', targetOf(caller))
      return true
    })
    if (!isRight) throw badRequest('that code is wrong, expired or tried too often: ask for another')
    return { number, verified: true }
  }

  async read(caller: Caller): Promise<OwnPhone> {
    const { database, clock } = this.#parts
    const owner = ownerOf(caller)
    const phone = await store.findPhone(database, owner)
    if (phone) return { number: phone.number, verified: true }
    const sent = await store.findCode(database, owner)
    return sent && isLive(sent, clock.now())
      ? { number: sent.number, verified: false }
      : { number: null, verified: null }
  }

  /** A code that was sent and not used becomes invalid too. */
  async forget(caller: Caller) {
    const owner = ownerOf(caller)
    await this.#parts.database.transaction(async (tx) => {
      await store.spendCodes(tx, owner)
      const [gone] = await store.deletePhone(tx, owner)
      if (gone) await recordAudit(tx, caller, 'phone.removed', targetOf(caller))
    })
  }

  async deleteExpired(database: Queryable = this.#parts.database) {
    await store.forgetOldCodes(database, this.#parts.clock.now())
  }
}

/** Whether the member verified exactly this number. */
export async function isOwnPhone(database: Queryable, org: string, member: string, number: string) {
  return (await store.findPhone(database, { org, member }))?.number === number
}

const ownerOf = ({ org, subject }: Caller): store.Owner => ({ org, member: subject })

/** Without the number, which is the member's own. */
const targetOf = ({ subject, email }: Caller) => ({ kind: 'member', id: subject, label: email }) as const

const isLive = ({ expires_at, tries }: store.SentCode, now: Date) =>
  Date.parse(expires_at) > now.getTime() && tries < mostTries

const isCodeOf = ({ id, digest }: store.SentCode, code: string) =>
  timingSafeEqual(digest, digestOfCode(id, code.trim()))

/** With the row's own id, so that equal codes have different digests. */
const digestOfCode = (id: string, code: string) => digestOf(`${id} ${code}`)

import type { BuyNumber, DryRun, ImportedNumber } from '@switchroom/contract/numbers'
import { recordAudit } from '../../audit/recording.ts'
import type { Database, Queryable } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import type { Clock } from '../../foundation/clock.ts'
import { badGateway, conflict, notFound, Refusal, tooMany } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'
import type { CarrierLogin } from '../../foundation/telephony-settings.ts'
import type { Orgs } from '../../people/orgs/orgs.ts'
import type { ApiCarrier, CarrierNumber } from '../carriers/api-carrier.ts'
import type { NumberShop, Search } from '../carriers/number-shop.ts'
import { WireFailure } from '../carriers/carrier-wire.ts'
import type { NumberAdmission } from '../admission/admission.ts'
import type { Whose } from '../admission/number-fences.ts'
import { routedElsewhere, type NumberRouting, type Wanted } from './number-routing.ts'
import { describe, readPurchase, searchOf, usualLimit, type AskedPurchase } from './purchase-parsing.ts'
import type { PurchaseRequirements } from './purchase-requirements.ts'
import {
  carrierLock,
  numberLock,
  orgLock,
  type HeldLocks,
  type NumberLocks,
} from '../admission/number-locks.ts'
import { bought, labelOf, type NumberSources } from './number-sources.ts'
import type { Numbers } from '../numbers/numbers.ts'
import { putNumber } from './number-changes.store.ts'
import * as store from './purchases.store.ts'
import { isDryRun, routeThing } from './steps.ts'

export interface NumberPurchaseParts {
  database: Database
  clock: Clock
  locks: NumberLocks
  orgs: Orgs
  numbers: Numbers
  admission: NumberAdmission
  carrier: ApiCarrier
  shop: NumberShop
  requirements: PurchaseRequirements
  sources: NumberSources
  numberRouting: NumberRouting
  /** For orgs that the operator set none for. */
  quota: number
}

interface Buyer extends Whose {
  by: Caller
}

/** How many numbers the platform holds for an org, against its quota. */
export const numbersHeld = (database: Queryable) => (org: string) => store.countManagedInBoth(database, org)

/** Buys numbers on the platform's own carrier account. */
export class NumberPurchase {
  readonly #parts: NumberPurchaseParts

  constructor(parts: NumberPurchaseParts) {
    this.#parts = parts
  }

  async buy(caller: Caller, body: BuyNumber, { dry_run }: DryRun): Promise<ImportedNumber> {
    const isDry = isDryRun(dry_run)
    const { numberRouting, sources, locks } = this.#parts
    const asked = readPurchase(body)
    const whose = { by: caller, org: caller.org, env: caller.env }
    numberRouting.sipNameOf(whose.env) // refuses if there is none
    const login = sources.ownLogin()
    if (isDry) return this.#preview(whose, asked, login)
    const names = [orgLock(whose.org), carrierLock(login.account_sid)]
    return locks.withLocks(names, (held) => this.#buy(whose, asked, login, held))
  }

  /** Under the org's lock. */
  async refusePastQuota(whose: Whose) {
    const { database, orgs, quota } = this.#parts
    const { slug, quotas } = await orgs.find(whose.org)
    const limit = quotas.numbers ?? quota
    const count = await store.countManaged(database, whose)
    if (count >= limit)
      throw tooMany(
        `org ${slug} has used ${count} of its ${limit} numbers in ${whose.env}: credits.exhausted`,
      ).as('QUOTA_EXCEEDED')
  }

  async #preview(whose: Buyer, asked: AskedPurchase, login: CarrierLogin): Promise<ImportedNumber> {
    await this.refusePastQuota(whose)
    const number = await this.#choose(whose, asked, login)
    return this.#parts.numberRouting.preview(
      this.#wanted(whose, asked, login, {
        sid: '',
        phone_number: number,
        friendly_name: '',
        trunk_sid: null,
      }),
    )
  }

  async #buy(
    whose: Buyer,
    asked: AskedPurchase,
    login: CarrierLogin,
    held: HeldLocks,
  ): Promise<ImportedNumber> {
    const { database, clock } = this.#parts
    const earlier = await this.#settle(whose, asked, login)
    if (earlier) return this.#hook(this.#wanted(whose, asked, login, earlier))
    await this.refusePastQuota(whose)
    const purchase = { id: newId('buy', 8), agent: asked.agent, asked: searchOf(asked) }
    await store.insertPurchase(database, whose, purchase, clock.now())
    const number = await this.#pay(purchase.id, whose, asked, login, held)
    const wanted = this.#wanted(whose, asked, login, number)
    await this.#keep(wanted, purchase.id)
    return this.#hook(wanted)
  }

  /** The slot is free again unless the number may have been paid for. */
  async #pay(
    id: string,
    whose: Buyer,
    asked: AskedPurchase,
    login: CarrierLogin,
    held: HeldLocks,
  ): Promise<CarrierNumber> {
    const { database, numbers, shop } = this.#parts
    try {
      const number = await this.#choose(whose, asked, login)
      if (!(await held.tryAlso(numberLock(number)))) throw conflict(`${number} is being routed: ask again`)
      const row = await numbers.find(number)
      if (row) throw row.org === whose.org ? hasAlready(number) : routedElsewhere(number)
      await store.setChosen(database, id, number)
      return await shop.buy(login, number, asked)
    } catch (error) {
      const mayBePaid = error instanceof WireFailure && !error.isRefused
      if (!mayBePaid) await store.deletePurchase(database, id)
      throw withAdvice(error, asked)
    }
  }

  /** At once, so that no paid number is missing from the list. */
  async #keep(wanted: Wanted, purchase: string) {
    const { database, clock, admission } = this.#parts
    await database.transaction(async (tx) => {
      if (!(await putNumber(tx, { ...wanted, isApproved: false }, clock.now())))
        throw routedElsewhere(wanted.number)
      await store.deletePurchase(tx, purchase)
      const { by, org, env, number, agent } = wanted
      const target = { kind: 'number', id: number, label: number } as const
      await recordAudit(tx, by, 'number.bought', target, { org, env, detail: { agent } })
      await admission.requestIn(tx, wanted.org)
    })
  }

  async #hook(wanted: Wanted): Promise<ImportedNumber> {
    const { number } = wanted
    try {
      const { steps, ...hooked } = await this.#parts.numberRouting.hook(wanted)
      return { ...hooked, steps: [...steps.slice(0, -1), `${routeThing(wanted)}: done`] }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      throw badGateway(
        `${number} is bought but does not ring yet: ${error.message}; POST /v1/numbers finishes it`,
      )
    }
  }

  /**
   * Settles purchases that broke off. What was paid for is routed to the agent it was bought for; one that this
   * request asks for again is its answer.
   */
  async #settle(whose: Buyer, asked: AskedPurchase, login: CarrierLogin): Promise<CarrierNumber | undefined> {
    const { database, numbers, carrier } = this.#parts
    let earlier: CarrierNumber | undefined
    for (const { id, number, ...purchase } of await store.listPurchases(database, whose)) {
      const owned = number === null ? undefined : await carrier.findNumber(login, number)
      const isRouted = owned && (await numbers.find(owned.phone_number))
      if (owned && !isRouted) await this.#keep(this.#wanted(whose, purchase, login, owned), id)
      else await store.deletePurchase(database, id)
      const isSame = purchase.agent === asked.agent && purchase.asked === searchOf(asked)
      if (owned && !isRouted && isSame) earlier ??= owned
    }
    return earlier
  }

  /** The chosen one, or the first for sale that can be bought with what was sent. */
  async #choose({ org }: Buyer, asked: AskedPurchase, login: CarrierLogin): Promise<string> {
    const { requirements, shop, carrier } = this.#parts
    const { country, type, areaCode, contains, number, address, bundle } = asked
    const reach = await requirements.reachOf(org, login, asked, address)
    await requirements.refuseBundle(org, login, asked, bundle)
    if (number !== undefined) {
      // One that the platform has for other uses must never count as paid for by a purchase that broke off.
      if (await carrier.findNumber(login, number)) throw notForSale(number)
      return number
    }
    const wanted: Omit<Search, 'limit'> = {
      country,
      type,
      ...(areaCode !== undefined && { areaCode }),
      ...(contains !== undefined && { contains }),
    }
    const [first] = await shop.search(login, { ...wanted, address: reach, limit: usualLimit })
    if (first) return first.phone_number
    const [other] = await shop.search(login, { ...wanted, limit: 1 })
    if (!other) throw notFound(`the carrier has no ${describe(asked)}`)
    throw conflict(
      `every ${describe(asked)} needs ${neededAddress(other.address_requirements, country)}: send as address one that GET /v1/numbers/requirements lists`,
    )
  }

  #wanted(whose: Buyer, { agent }: { agent: string }, login: CarrierLogin, number: CarrierNumber): Wanted {
    const sipName = this.#parts.numberRouting.sipNameOf(whose.env)
    return {
      ...whose,
      ...bought(labelOf(number)),
      number: number.phone_number,
      agent,
      channel: 'phone',
      managed: true,
      hook: async () => ({ login, number, sipName, mayLeave: () => false }),
    }
  }
}

const hasAlready = (number: string) =>
  conflict(`${number} is a number of this org already: GET /v1/numbers lists it`)

const notForSale = (number: string) =>
  conflict(`${number} is not for sale: choose one that GET /v1/numbers/for-sale lists`)

function neededAddress(need: string, country: string): string {
  if (need === 'local') return `an address in ${country}`
  return need === 'foreign' ? `an address outside of ${country}` : 'an address'
}

/** What to do about the carrier's no, by its number of the error. */
const advice: Record<number, string> = {
  21422: 'GET /v1/numbers/for-sale lists others',
  21613: 'send as address one that GET /v1/numbers/requirements lists',
  21631: 'send as address one that GET /v1/numbers/requirements lists',
  21649: 'send as bundle one that GET /v1/numbers/requirements lists as approved',
}

function withAdvice(error: unknown, { country, type }: AskedPurchase): unknown {
  const next = error instanceof WireFailure && error.errorCode !== undefined && advice[error.errorCode]
  if (!next) return error
  return badGateway(`${error.message}: ${next} for ${type} numbers in ${country}`)
}

import type { ReleaseNumber } from '@switchroom/contract/numbers'
import type { Logger } from 'pino'
import { recordAudit } from '../../audit/recording.ts'
import type { Database } from '../../database/database.ts'
import { outsideList, type Actor, type Caller } from '../../foundation/caller.ts'
import { numberKey, shownNumber } from '../../foundation/number-keys.ts'
import { badGateway, conflict, notFound } from '../../foundation/refusals.ts'
import type { CarrierLogin, TelephonySettings } from '../../foundation/telephony-settings.ts'
import type { NumberAdmission } from '../admission/admission.ts'
import type { Whose } from '../admission/number-fences.ts'
import { carrierLock, numberLock, orgLock, type NumberLocks } from '../admission/number-locks.ts'
import type { ApiCarrier } from '../carriers/api-carrier.ts'
import { WireFailure } from '../carriers/carrier-wire.ts'
import type { Firewall } from '../carriers/firewall.ts'
import type { NumberShop } from '../carriers/number-shop.ts'
import * as store from './number-changes.store.ts'
import type { NumberSources } from './number-sources.ts'
import { auditedNumber, isSet } from './steps.ts'

export interface NumberReleaseParts {
  database: Database
  logger: Logger
  locks: NumberLocks
  firewall: Firewall
  admission: NumberAdmission
  carrier: ApiCarrier
  shop: NumberShop
  sources: NumberSources
  settings: Pick<TelephonySettings, 'ownCarrier'>
}

/** Releases numbers: deletes the route and what admits it; at the carrier only what the request says explicitly. */
export class NumberRelease {
  readonly #parts: NumberReleaseParts

  constructor(parts: NumberReleaseParts) {
    this.#parts = parts
  }

  async release(caller: Caller, named: string, { at_carrier }: ReleaseNumber): Promise<void> {
    const number = numberKey(caller.org, named)
    if (isSet('at_carrier', at_carrier)) return this.#releaseAtCarrier(caller, number)
    const { org, env } = caller
    await this.#parts.locks.withLocks([numberLock(number), orgLock(org)], () =>
      this.#remove(caller, number, { org, env }),
    )
  }

  /** Releases that broke off after the carrier was asked: the carrier is asked again, then the row goes. */
  async finishAll(stopping: AbortSignal): Promise<void> {
    const { database, locks, settings } = this.#parts
    const login = settings.ownCarrier
    for (const { number, org, env } of login ? await store.listReleasing(database) : []) {
      if (stopping.aborted || !login) return
      // A request that is still at it has the lock, and finishes it itself.
      await locks.withLockIfFree(numberLock(number), (holder) =>
        holder.withLock(orgLock(org), () =>
          holder.withLock(carrierLock(login.account_sid), () => this.#finish(number, { org, env }, login)),
        ),
      )
    }
  }

  async #releaseAtCarrier(caller: Caller, number: string): Promise<void> {
    const { locks, sources } = this.#parts
    await this.#find(caller, number)
    const login = sources.ownLogin()
    const names = [numberLock(number), orgLock(caller.org), carrierLock(login.account_sid)]
    await locks.withLocks(names, () => this.#releaseUnderLock(caller, number, login))
  }

  async #releaseUnderLock(caller: Caller, number: string, login: CarrierLogin): Promise<void> {
    const { database, carrier } = this.#parts
    const row = await this.#find(caller, number)
    const sid = row.releasing?.sid ?? (await carrier.findNumber(login, number))?.sid
    if (sid === undefined) return this.#remove(caller, number, row, atCarrier) // the carrier has it no more
    await store.setReleasing(database, number, { sid, by: actorOf(caller) })
    await this.#askCarrier(number, sid, login)
    await this.#remove(caller, number, row, atCarrier)
  }

  /** In the caller's org and environment, bought by the platform, and on the caller's list of agents. */
  async #find(caller: Caller, number: string): Promise<store.ReleasedRow> {
    const { org, env, agents } = caller
    const row = await store.findReleased(this.#parts.database, number, { org, env })
    if (!row) throw unknownNumber(number, { org, env })
    if (agents.length > 0 && !agents.includes(row.agent)) throw outsideList(caller)
    if (!row.managed)
      throw conflict(
        `${shownNumber(number)} was not bought by the platform, so the platform cannot release it at its carrier: leave out at_carrier, and end it at the carrier yourself`,
      )
    return row
  }

  /** After a refusal nothing has changed; without an answer it may have, so the release stays begun. */
  async #askCarrier(number: string, sid: string, login: CarrierLogin): Promise<void> {
    const { database, shop } = this.#parts
    try {
      await shop.release(login, sid)
    } catch (error) {
      if (!(error instanceof WireFailure)) throw error
      if (!error.isRefused)
        throw badGateway(
          `${error.message}: ${number} is still being released, and leaves this org as soon as the carrier confirms it`,
        )
      await store.setReleasing(database, number, null)
      throw error
    }
  }

  async #finish(number: string, whose: Whose, login: CarrierLogin): Promise<void> {
    const { database, logger } = this.#parts
    const row = await store.findReleased(database, number, whose)
    if (!row?.releasing) return
    const { sid, by } = row.releasing
    try {
      await this.#askCarrier(number, sid, login)
    } catch (error) {
      logger.warn({ org: whose.org, number, err: error }, 'a number is not released at the carrier')
      return
    }
    await this.#remove(by, number, whose, atCarrier)
  }

  /** Under the locks. A failure of the media plane is retried until it is none, and so it is no refusal. */
  async #remove(by: Actor, number: string, { org, env }: Whose, detail = {}): Promise<void> {
    const { database, firewall, admission } = this.#parts
    await firewall.around(async () => {
      await database.transaction(async (tx) => {
        if (!(await store.deleteNumber(tx, number, { org, env }))) throw unknownNumber(number, { org, env })
        await admission.requestIn(tx, org)
        await recordAudit(tx, by, 'number.released', auditedNumber(number), { org, env, detail })
      })
      await admission.apply(org).catch((error: unknown) => admission.logFailure(org, error))
    })
  }
}

const atCarrier = { at_carrier: true }

const unknownNumber = (number: string, { env }: Whose) =>
  notFound(`this org has no number ${shownNumber(number)} in ${env}`)

/** What the audit log keeps of a caller, for the gateway that finishes what this one began. */
const actorOf = ({ kind, org, env, key_id, subject, name, email, visiting, from }: Caller): Actor => ({
  kind,
  org,
  env,
  key_id,
  subject,
  name,
  email,
  visiting,
  from,
})

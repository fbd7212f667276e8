import type { ImportedNumber, MoveNumber } from '@switchroom/contract/numbers'
import type { Environment } from '@switchroom/contract/scopes'
import { recordAudit } from '../../audit/recording.ts'
import type { Database } from '../../database/database.ts'
import type { AdmissionVerdicts, Verdict } from '@switchroom/media/plane'
import type { Caller } from '../../foundation/caller.ts'
import { isExtension, numberKey, shownNumber } from '../../foundation/number-keys.ts'
import { forbidden, notFound } from '../../foundation/refusals.ts'
import type { CarrierLogin, TelephonySettings } from '../../foundation/telephony-settings.ts'
import type { CarrierAccounts } from '../carriers/accounts.ts'
import type { ApiCarrier } from '../carriers/api-carrier.ts'
import type { Firewall } from '../carriers/firewall.ts'
import { originationOf } from '../carriers/trunks.ts'
import type { Planes } from '../admission/planes.ts'
import { asRefusal, otherThan, type NumberAdmission } from '../admission/admission.ts'
import { refuseWithoutExtensions } from './number-import.ts'
import type { NumberPurchase } from './number-purchase.ts'
import { carrierSteps } from './carrier-steps.ts'
import { isDriven } from '../admission/number-fences.ts'
import type { NumberRouting } from './number-routing.ts'
import { readEnvironment } from './number-parsing.ts'
import { carrierLock, numberLock, orgLock, type NumberLocks } from '../admission/number-locks.ts'
import type { NumberSources } from './number-sources.ts'
import { routeOf, type NumberRow, type Numbers } from '../numbers/numbers.ts'
import * as store from './number-changes.store.ts'
import {
  asSentences,
  auditedNumber,
  carryOut,
  mediaSteps,
  offOther,
  routeThing,
  type PlannedStep,
  type Step,
} from './steps.ts'

export interface NumberMoveParts {
  database: Database
  locks: NumberLocks
  planes: Planes
  carrier: ApiCarrier
  accounts: CarrierAccounts
  firewall: Firewall
  sources: NumberSources
  numberRouting: NumberRouting
  numbers: Numbers
  admission: NumberAdmission
  numberPurchase: NumberPurchase
  sipNames: TelephonySettings['sipNames']
}

/** A number on its way into another environment. */
interface Move {
  row: NumberRow
  to: Environment
  /** Its row has moved already: an earlier move broke off. */
  isResumed: boolean
}

/** Moves numbers between environments: off the old media server, the row, onto the new one. */
export class NumberMove {
  readonly #parts: NumberMoveParts

  constructor(parts: NumberMoveParts) {
    this.#parts = parts
  }

  /** A move that is repeated after an interruption continues from the step that broke off. */
  async move(caller: Caller, named: string, body: MoveNumber): Promise<ImportedNumber> {
    const { locks, numberRouting, planes } = this.#parts
    const number = numberKey(caller.org, named)
    const to = readEnvironment(body.env)
    if (!caller.production) throw forbidden('moving a number takes production access, in either direction')
    const { row } = await this.#find(caller, number, to)
    if (isExtension(number)) refuseWithoutExtensions(planes, to)
    if (row.channel === 'phone') numberRouting.sipNameOf(to) // refuses if there is none
    const login = await this.#loginOf(row)
    const names = [numberLock(number), orgLock(row.org)]
    if (login) names.push(carrierLock(login.account_sid))
    return locks.withLocks(names, async () => this.#move(caller, await this.#find(caller, number, to), login))
  }

  /** In the environment of the request, or in the one that a move which broke off has left it in. */
  async #find(caller: Caller, number: string, to: Environment): Promise<Move> {
    const row = await this.#parts.numbers.find(number)
    if (!row || row.org !== caller.org) throw unknownNumber(number, caller.env)
    const isResumed = row.env === to && row.moving_from !== null
    if (row.env !== caller.env && !isResumed) throw unknownNumber(number, caller.env)
    return { row, to, isResumed }
  }

  async #move(
    caller: Caller,
    { row, to, isResumed }: Move,
    login: CarrierLogin | undefined,
  ): Promise<ImportedNumber> {
    const steps: Step[] = []
    const route: Step = { thing: routeThing(row), verdict: row.env === to ? 'stands' : 'done' }
    if (row.env !== to && row.managed)
      await this.#parts.numberPurchase.refusePastQuota({ org: row.org, env: to })
    if (row.env !== to || isResumed) {
      const planned = login ? await this.#atCarrier(row, to, login) : []
      steps.push(...(await carryOut(planned)))
      await this.#parts.firewall.around(async () => {
        steps.push(...(await this.#change(caller, row, to)))
      })
      await store.endMove(this.#parts.database, row.number)
    }
    const moved = { ...row, env: to, label: row.label ?? shownNumber(row.number) }
    return { route: routeOf(moved), steps: asSentences([...steps, route]), dry_run: false }
  }

  async #change(caller: Caller, row: NumberRow, to: Environment): Promise<Step[]> {
    const { database, admission, planes } = this.#parts
    const { org, number } = row
    const steps: Step[] = []
    if (row.channel === 'phone' && (planes.areSeparate || row.env !== to)) {
      const verdict = await asRefusal(planes.of(otherThan(to)).withdraw(org, number))
      if (planes.areSeparate) steps.push({ thing: offOther, verdict })
    }
    if (row.env !== to)
      await database.transaction(async (tx) => {
        await store.beginMove(tx, number, { org, env: to })
        const target = auditedNumber(number)
        const detail = { env: { before: row.env, after: to } }
        await recordAudit(tx, caller, 'number.moved', target, { env: to, detail })
        if (row.channel === 'phone') await admission.requestIn(tx, org)
      })
    return row.channel === 'phone' ? [...steps, ...(await this.#admit(row, to))] : steps
  }

  async #admit(row: NumberRow, to: Environment): Promise<Step[]> {
    const { admission, numberRouting } = this.#parts
    const whose = { org: row.org, env: to }
    const drawn = await admission.draw(whose)
    const previewed = await admission.preview(drawn)
    await asRefusal(admission.apply(row.org))
    const placed = drawn.placed.find(({ number }) => number === row.number)
    if (!placed) return []
    const isAddressed = row.origin === 'hooked' || (!isDriven(placed) && this.#areNamesDifferent)
    return mediaSteps(
      whose,
      drawn.at(placed),
      carriedOut(previewed),
      isAddressed ? numberRouting.addressOf({ ...row, env: to }) : undefined,
    )
  }

  /** Carriers send the calls of the two environments to different names. */
  get #areNamesDifferent() {
    const { sipNames } = this.#parts
    return sipNames.production?.toLowerCase() !== sipNames.sandbox?.toLowerCase()
  }

  /** The account at the API carrier, if the carrier has to send the calls to another name. */
  async #loginOf({ org, channel, account, managed, origin }: NumberRow): Promise<CarrierLogin | undefined> {
    const { accounts, sources } = this.#parts
    if (channel !== 'phone' || !this.#areNamesDifferent) return undefined
    if (managed && origin === 'bought') return sources.ownLogin()
    if (account === null || (await accounts.opened(org, account))?.kind !== 'apicarrier') return undefined
    await accounts.find(org, account) // refuses a forgotten one
    const opened = await accounts.opened(org, account)
    return opened?.kind === 'apicarrier' ? opened : undefined
  }

  async #atCarrier({ number }: NumberRow, to: Environment, login: CarrierLogin): Promise<PlannedStep[]> {
    const { carrier, sources, numberRouting, sipNames } = this.#parts
    const old = sipNames[otherThan(to)]
    return carrierSteps(carrier, {
      login,
      number: await sources.owned(login, number),
      sipName: numberRouting.sipNameOf(to),
      mayLeave: (origins) =>
        old !== undefined &&
        origins.some((origin) => origin.toLowerCase() === originationOf(old).toLowerCase()),
    })
  }
}

/** What the preview called to do is done. */
const carriedOut = ({ fences, rule }: AdmissionVerdicts): AdmissionVerdicts => {
  const done = (verdict: Verdict): Verdict => (verdict === 'to do' ? 'done' : verdict)
  return { fences: new Map([...fences].map(([name, verdict]) => [name, done(verdict)])), rule: done(rule) }
}

const unknownNumber = (number: string, env: Environment) =>
  notFound(`this org has no number ${shownNumber(number)} in ${env}`)

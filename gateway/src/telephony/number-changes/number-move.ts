import type { ImportedNumber, MoveNumber } from '@switchroom/contract/numbers'
import type { Environment } from '@switchroom/contract/scopes'
import { recordAudit } from '../../audit/recording.ts'
import type { Database } from '../../database/database.ts'
import type { AdmissionVerdicts, Verdict } from '@switchroom/media/plane'
import type { Caller } from '../../foundation/caller.ts'
import type { Clock } from '../../foundation/clock.ts'
import { forbidden, notFound } from '../../foundation/refusals.ts'
import type { CarrierLogin, TelephonySettings } from '../../foundation/telephony-settings.ts'
import type { CarrierAccounts } from '../carriers/accounts.ts'
import type { ApiCarrier } from '../carriers/api-carrier.ts'
import type { Firewall } from '../carriers/firewall.ts'
import { originationOf } from '../carriers/trunks.ts'
import type { Planes } from '../admission/planes.ts'
import { asRefusal, otherThan, type Admitting } from '../admission/admission.ts'
import { askAdmission } from '../admission/admission.store.ts'
import type { Buying } from './number-purchase.ts'
import { carrierSteps } from './carrier-steps.ts'
import { isDriven } from '../admission/number-fences.ts'
import type { NumberRouting } from './number-routing.ts'
import { readEnvironment } from './number-parsing.ts'
import { carrierLock, numberLock, orgLock, type NumberLocks } from '../admission/number-locks.ts'
import type { NumberSources } from './number-sources.ts'
import * as store from '../numbers/numbers.store.ts'
import {
  asSentences,
  carryOut,
  mediaSteps,
  offOther,
  routeOf,
  routeThing,
  type Planned,
  type Step,
} from './steps.ts'

export interface MovingParts {
  database: Database
  clock: Clock
  locks: NumberLocks
  planes: Planes
  carrier: ApiCarrier
  accounts: CarrierAccounts
  firewall: Firewall
  sources: NumberSources
  numberRouting: NumberRouting
  admitting: Admitting
  buying: Buying
  sipNames: TelephonySettings['sipNames']
}

/** A number on its way into another environment. */
interface Move {
  row: store.NumberRow
  to: Environment
  /** Its row is there already: an earlier move broke off. */
  isResumed: boolean
}

/** Moves numbers between environments: off the old media server, the row, onto the new one. */
export class Moving {
  readonly #parts: MovingParts

  constructor(parts: MovingParts) {
    this.#parts = parts
  }

  /** Repeated after an interruption it goes on where it broke off. */
  async move(caller: Caller, number: string, body: MoveNumber): Promise<ImportedNumber> {
    const { locks, numberRouting } = this.#parts
    const to = readEnvironment(body.env)
    if (!caller.production) throw forbidden('moving a number takes production access, whichever way it goes')
    const { row } = await this.#find(caller, number, to)
    if (row.channel === 'phone') numberRouting.sipNameOf(to) // refuses where there is none
    const login = await this.#loginOf(row)
    const names = [numberLock(number), orgLock(row.org)]
    if (login) names.push(carrierLock(login.account_sid))
    return locks.withLocks(names, async () => this.#move(caller, await this.#find(caller, number, to), login))
  }

  /** Where the request says, or where a move that broke off has left it. */
  async #find(caller: Caller, number: string, to: Environment): Promise<Move> {
    const { database } = this.#parts
    const row = await store.findNumber(database, number)
    if (!row || row.org !== caller.org) throw unknown(number, caller.env)
    const isResumed = row.env === to && row.moving_from !== null
    if (row.env !== caller.env && !isResumed) throw unknown(number, caller.env)
    return { row, to, isResumed }
  }

  async #move(
    caller: Caller,
    { row, to, isResumed }: Move,
    login: CarrierLogin | undefined,
  ): Promise<ImportedNumber> {
    const steps: Step[] = []
    const route: Step = { thing: routeThing(row), verdict: row.env === to ? 'stands' : 'done' }
    if (row.env !== to && row.managed) await this.#parts.buying.refusePastQuota({ org: row.org, env: to })
    if (row.env !== to || isResumed) {
      const planned = login ? await this.#atCarrier(row, to, login) : []
      steps.push(...(await carryOut(planned)))
      await this.#parts.firewall.around(async () => {
        steps.push(...(await this.#change(caller, row, to)))
      })
      await store.endMove(this.#parts.database, row.number)
    }
    const moved = { ...row, env: to, label: row.label ?? row.number }
    return { route: routeOf(moved), steps: asSentences([...steps, route]), dry_run: false }
  }

  async #change(caller: Caller, row: store.NumberRow, to: Environment): Promise<Step[]> {
    const { database, clock, planes } = this.#parts
    const { org, number } = row
    const steps: Step[] = []
    if (row.channel === 'phone' && (planes.areSeparate || row.env !== to)) {
      const verdict = await asRefusal(planes.of(otherThan(to)).withdraw(org, number))
      if (planes.areSeparate) steps.push({ thing: offOther, verdict })
    }
    if (row.env !== to)
      await database.transaction(async (tx) => {
        await store.beginMove(tx, number, { org, env: to })
        const target = { kind: 'number', id: number, label: number } as const
        const detail = { env: { before: row.env, after: to } }
        await recordAudit(tx, caller, 'number.moved', target, { env: to, detail })
        if (row.channel === 'phone') await askAdmission(tx, org, clock.now())
      })
    return row.channel === 'phone' ? [...steps, ...(await this.#admit(row, to))] : steps
  }

  async #admit(row: store.NumberRow, to: Environment): Promise<Step[]> {
    const { database, admitting, numberRouting } = this.#parts
    const whose = { org: row.org, env: to }
    const drawn = await admitting.draw(whose)
    const looked = await admitting.preview(drawn)
    await asRefusal(admitting.tell(row.org))
    const placed = (await store.listPlaced(database, whose)).find(({ number }) => number === row.number)
    if (!placed) return []
    const isAddressed = row.origin === 'hooked' || (!isDriven(placed) && this.#areNamesApart)
    return mediaSteps(
      whose,
      drawn.at(placed),
      written(looked),
      isAddressed ? numberRouting.addressOf({ ...row, env: to }) : undefined,
    )
  }

  /** Carriers send the calls of the two environments to different names. */
  get #areNamesApart() {
    const { sipNames } = this.#parts
    return sipNames.production?.toLowerCase() !== sipNames.sandbox?.toLowerCase()
  }

  /** The account at the API carrier, where that has to be told of the new name. */
  async #loginOf({
    org,
    channel,
    account,
    managed,
    origin,
  }: store.NumberRow): Promise<CarrierLogin | undefined> {
    const { accounts, sources } = this.#parts
    if (channel !== 'phone' || !this.#areNamesApart) return undefined
    if (managed && origin === 'bought') return sources.ownLogin()
    if (account === null || (await accounts.opened(org, account))?.kind !== 'apicarrier') return undefined
    await accounts.find(org, account) // refuses a forgotten one
    const opened = await accounts.opened(org, account)
    return opened?.kind === 'apicarrier' ? opened : undefined
  }

  async #atCarrier({ number }: store.NumberRow, to: Environment, login: CarrierLogin): Promise<Planned[]> {
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

/** What was to do when it was looked up is done. */
const written = ({ fences, rule }: AdmissionVerdicts): AdmissionVerdicts => {
  const done = (verdict: Verdict): Verdict => (verdict === 'to do' ? 'done' : verdict)
  return { fences: new Map([...fences].map(([name, verdict]) => [name, done(verdict)])), rule: done(rule) }
}

const unknown = (number: string, env: Environment) => notFound(`this org has no number ${number} in ${env}`)

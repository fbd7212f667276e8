import { withoutAccount } from '@switchroom/contract/extensions'
import type { ImportedNumber, NumberChannel, NumberOrigin } from '@switchroom/contract/numbers'
import type { Environment } from '@switchroom/contract/scopes'
import type { AdmissionVerdicts } from '@switchroom/media/plane'
import { changedFields, recordAudit } from '../../audit/recording.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Actor } from '../../foundation/caller.ts'
import type { Clock } from '../../foundation/clock.ts'
import { shownNumber } from '../../foundation/number-keys.ts'
import { conflict, unavailable } from '../../foundation/refusals.ts'
import type { TelephonySettings } from '../../foundation/telephony-settings.ts'
import type { ApiCarrier } from '../carriers/api-carrier.ts'
import type { Firewall } from '../carriers/firewall.ts'
import type { Networks } from '../carriers/networks.ts'
import type { Planes } from '../admission/planes.ts'
import {
  asRefusal,
  otherThan,
  without,
  withPlaced,
  type NumberAdmission,
  type Drawn,
} from '../admission/admission.ts'
import { carrierSteps, type Hook } from './carrier-steps.ts'
import type { AtFence, Placed, Whose } from '../admission/number-fences.ts'
import { routeOf, type NumberRow, type Numbers } from '../numbers/numbers.ts'
import * as store from './number-changes.store.ts'
import {
  asPlanned,
  asSentences,
  auditedNumber,
  carryOut,
  mediaSteps,
  offOther,
  routeThing,
  type PlannedStep,
  type Step,
} from './steps.ts'

export interface NumberRoutingParts {
  database: Database
  clock: Clock
  settings: Pick<TelephonySettings, 'sipNames' | 'approveHooked'>
  planes: Planes
  carrier: ApiCarrier
  networks: Networks
  firewall: Firewall
  numbers: Numbers
  admission: NumberAdmission
}

/** A number as it is wanted: which agent answers, and where its calls come from. */
export interface Wanted extends Whose {
  by: Actor
  number: string
  agent: string
  channel: NumberChannel
  origin: NumberOrigin
  via: string | null
  account: string | null
  account_kind: Placed['account_kind']
  /** The SIP peer's, or those it is hooked from. */
  networks: readonly string[]
  label: string
  managed: boolean
  /** If the platform configures the carrier; read again under the lock. */
  hook?: () => Promise<Hook>
}

/** Routes a number here step by step: each is looked up before it is written, and the route is written last. */
export class NumberRouting {
  readonly #parts: NumberRoutingParts

  constructor(parts: NumberRoutingParts) {
    this.#parts = parts
  }

  /** The name that carriers send an environment's calls to. */
  sipNameOf(env: Environment): string {
    const name = this.#parts.settings.sipNames[env]
    if (name !== undefined) return name
    const own = env === 'production' ? 'SVC_SIP_DOMAIN' : 'SVC_SANDBOX_SIP_DOMAIN'
    throw unavailable(`carriers have no name to send calls of ${env} to: set SVC_DOMAIN, or ${own}`)
  }

  /** What would be written; refuses as the real run does. */
  async preview(wanted: Wanted): Promise<ImportedNumber> {
    const { row, planned } = await this.#judge(wanted)
    const media = wanted.channel === 'phone' ? await this.#previewMedia(wanted, row) : []
    const route: Step = {
      thing: routeThing(wanted),
      verdict: this.#isRouted(wanted, row) ? 'stands' : 'to do',
    }
    const steps = asSentences([...asPlanned(planned), ...media, route])
    return {
      route: routeOf({ ...wanted, managed: wanted.managed || row?.managed === true }),
      steps,
      dry_run: true,
    }
  }

  /** Under the locks of the number, its org and its carrier account. */
  async hook(wanted: Wanted): Promise<ImportedNumber> {
    const { row, planned } = await this.#judge(wanted)
    const steps = await carryOut(planned)
    const drawn = await this.#draw(wanted, row)
    const networks = drawn.wanted.fences.flatMap((fence) => fence.networks)
    await this.#parts.firewall.around(async () => {
      if (wanted.channel === 'phone') steps.push(...(await this.#admit(wanted, row, drawn)))
      else if (row?.channel === 'phone') await this.#parts.admission.admit(drawn)
      steps.push(await this.#route(wanted, row, drawn))
    }, networks)
    return {
      route: routeOf({ ...wanted, managed: wanted.managed || row?.managed === true }),
      steps: asSentences(steps),
      dry_run: false,
    }
  }

  /** Everything that can be refused, before anything is written. */
  async #judge(wanted: Wanted): Promise<{ row: NumberRow | undefined; planned: PlannedStep[] }> {
    const row = await this.#parts.numbers.find(wanted.number)
    refuseElsewhere(wanted, row)
    const hook = await wanted.hook?.()
    return { row, planned: hook ? await carrierSteps(this.#parts.carrier, hook) : [] }
  }

  async #draw(wanted: Wanted, row: NumberRow | undefined): Promise<Drawn> {
    const change = wanted.channel === 'phone' ? withPlaced(this.#placed(wanted, row)) : without(wanted.number)
    return this.#parts.admission.draw(wanted, change)
  }

  async #previewMedia(wanted: Wanted, row: NumberRow | undefined): Promise<Step[]> {
    const { planes, admission } = this.#parts
    const drawn = await this.#draw(wanted, row)
    const verdicts = await admission.preview(drawn)
    const steps = this.#stepsOf(wanted, drawn.at(this.#placed(wanted, row)), verdicts)
    if (!planes.areSeparate) return steps
    const others = await asRefusal(planes.of(otherThan(wanted.env)).list())
    const isListed = others.some(
      ({ name, numbers }) => name.startsWith(`${wanted.org}/`) && numbers.includes(wanted.number),
    )
    return [{ thing: offOther, verdict: isListed ? 'to do' : 'stands' }, ...steps]
  }

  async #admit(wanted: Wanted, row: NumberRow | undefined, drawn: Drawn): Promise<Step[]> {
    const { database, clock, planes, networks, admission } = this.#parts
    const { org, number } = wanted
    const steps: Step[] = []
    try {
      if (planes.areSeparate) {
        const verdict = await asRefusal(planes.of(otherThan(wanted.env)).withdraw(org, number))
        steps.push({ thing: offOther, verdict })
      }
      if (wanted.origin === 'hooked' && wanted.networks.length > 0)
        await database.transaction((tx) => networks.ask(tx, org, wanted.networks, { number }, clock.now()))
      const verdicts = await admission.admit(drawn)
      return [...steps, ...this.#stepsOf(wanted, drawn.at(this.#placed(wanted, row)), verdicts)]
    } catch (error) {
      // What was admitted before may be half gone, so it is admitted again as the tables say.
      if (row) await admission.applyLater(wanted)
      throw error
    }
  }

  async #route(wanted: Wanted, row: NumberRow | undefined, drawn: Drawn): Promise<Step> {
    const { database, clock, admission } = this.#parts
    const isRouted = this.#isRouted(wanted, row)
    const routing = { ...wanted, networks: ownNetworks(wanted), isApproved: this.#isApproved(wanted) }
    await database.transaction(async (tx) => {
      if (!isRouted && !(await store.putNumber(tx, routing, clock.now())))
        throw routedElsewhere(wanted.number)
      if (!isRouted) await recordRoute(tx, wanted, row)
      await admission.recordIn(tx, wanted, drawn)
    })
    return { thing: routeThing(wanted), verdict: isRouted ? 'stands' : 'done' }
  }

  #stepsOf(wanted: Wanted, at: AtFence, verdicts: AdmissionVerdicts): Step[] {
    return mediaSteps(wanted, at, verdicts, wanted.origin === 'hooked' ? this.addressOf(wanted) : undefined)
  }

  /** Where an org points a number that it hooks itself. */
  addressOf({ number, env }: Pick<Wanted, 'number' | 'env'>): string {
    return `sip:${withoutAccount(number)}@${this.sipNameOf(env)}:5060`
  }

  #placed(wanted: Wanted, row: NumberRow | undefined): Placed {
    const isApproved = this.#isApproved(wanted) || (row?.approved_at ?? null) !== null
    return { ...wanted, awaits_approval: wanted.origin === 'hooked' && !isApproved }
  }

  /** Hooked, and the operator approves none. */
  #isApproved = ({ origin }: Wanted) => origin === 'hooked' && !this.#parts.settings.approveHooked

  #isRouted(wanted: Wanted, row: NumberRow | undefined): boolean {
    if (!row || (row.awaits_approval && this.#isApproved(wanted))) return false
    const fields = ['agent', 'channel', 'label', 'origin', 'via', 'account'] as const
    return (
      fields.every((field) => wanted[field] === row[field]) && sameOnes(ownNetworks(wanted), row.networks)
    )
  }
}

function recordRoute(tx: Transaction, wanted: Wanted, row: NumberRow | undefined) {
  const { by, org, env, number, agent, channel, origin, account } = wanted
  const detail = changedFields(row ?? {}, { agent, channel, origin, account })
  return recordAudit(tx, by, 'number.routed', auditedNumber(number), { org, env, detail })
}

/** A peer's networks are its account's. */
const ownNetworks = ({ origin, networks }: Wanted) => (origin === 'hooked' ? networks : [])

/** Names no org. */
export const routedElsewhere = (number: string) =>
  conflict(`${shownNumber(number)} is routed by another org on this platform: that org must release it first`)

function refuseElsewhere({ number, org, env }: Wanted, row: NumberRow | undefined) {
  if (!row) return
  if (row.org !== org) throw routedElsewhere(number)
  const shown = shownNumber(number)
  if (row.env !== env) throw conflict(`${shown} is in ${row.env}: move it with PUT /v1/numbers/${shown}/env`)
}

const sameOnes = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length && some.every((one) => others.includes(one))

import { environments, type Environment } from '@switchroom/contract/scopes'
import type { Logger } from 'pino'
import type { Database } from '../../database/database.ts'
import { later, minuteMs, secondMs, type Clock } from '../../foundation/clock.ts'
import type { TelephonySettings } from '../../foundation/telephony-settings.ts'
import type { Planes } from './planes.ts'
import type { Admitting } from './admission.ts'
import * as admissions from './admission.store.ts'
import type { HookedApprovals } from './hooked-approvals.ts'
import { orgLock, reconciliationLock, type Inside, type NumberLocks } from './number-locks.ts'
import { listOrgs } from '../numbers/numbers.store.ts'

const firstWaitMs = 2 * secondMs
const longestWaitMs = minuteMs

export interface ReconciliationParts {
  database: Database
  clock: Clock
  logger: Logger
  locks: NumberLocks
  planes: Planes
  admitting: Admitting
  approvals: HookedApprovals
  settings: Pick<TelephonySettings, 'approveHooked' | 'mediaAddress' | 'fleets'>
}

/**
 * Makes the media planes stand as the tables say: once when the gateway has started, and again while anything
 * failed, the whole set each time. The carrier is never asked.
 */
export class Reconciliation {
  readonly #parts: ReconciliationParts
  /** When the next run begins; undefined while everything stands. */
  #dueAt: Date | undefined
  #waitMs = firstWaitMs
  #hasBegun = false

  constructor(parts: ReconciliationParts) {
    this.#parts = parts
  }

  /** The next look runs. */
  begin() {
    this.#dueAt = this.#parts.clock.now()
  }

  /** Runs if it is time to; a run that is stopped is not whole. */
  async poll(stopping: AbortSignal): Promise<void> {
    const { clock, locks } = this.#parts
    const now = clock.now()
    if (this.#dueAt ? now < this.#dueAt : !(await this.#isLeftOver(now))) return
    let isWhole = false
    const hasRun = await locks.withLockIfFree(reconciliationLock, async (inside) => {
      isWhole = await this.#run(inside, stopping)
    })
    if (!hasRun) return void (this.#dueAt = later(clock.now(), firstWaitMs)) // another gateway is at it
    this.#dueAt = isWhole ? undefined : later(clock.now(), this.#waitMs)
    this.#waitMs = isWhole ? firstWaitMs : Math.min(2 * this.#waitMs, longestWaitMs)
  }

  /** Something that a media plane did not take when it was changed, here or on a gateway that died. */
  async #isLeftOver(now: Date): Promise<boolean> {
    const isDue = await admissions.isAnyDue(this.#parts.database, later(now, -firstWaitMs))
    if (isDue) this.#waitMs = 2 * firstWaitMs
    return isDue
  }

  /** Whether everything stands now. */
  async #run(inside: Inside, stopping: AbortSignal): Promise<boolean> {
    const { database, settings, approvals } = this.#parts
    if (!settings.approveHooked && !this.#hasBegun) await approvals.approveAll()
    this.#hasBegun = true
    const listed = new Map<Environment, string[]>()
    for (const env of environments) {
      const orgs = await this.#orgsAt(env)
      if (orgs) listed.set(env, orgs)
    }
    const orgs = new Set([...(await listOrgs(database)), ...[...listed.values()].flat()])
    let isWhole = listed.size === environments.length
    for (const org of orgs) {
      if (stopping.aborted) return false
      if (!(await this.#tell(inside, org, (env) => listed.has(env)))) isWhole = false
    }
    return (await this.#handOver()) && isWhole
  }

  /** The orgs that a media plane admits anything of; undefined where it cannot be reached. */
  async #orgsAt(env: Environment): Promise<string[] | undefined> {
    const { database, planes, logger } = this.#parts
    try {
      const fences = await planes.of(env).list()
      return fences.flatMap(({ name }) => name.split('/', 1))
    } catch (error) {
      logger.warn({ env, err: error }, 'the media plane cannot be reached: asked again soon')
      await admissions.setAllUnadmitted(database, env)
      return undefined
    }
  }

  /** One org's failure is its own. */
  async #tell(inside: Inside, org: string, isReachable: (env: Environment) => boolean): Promise<boolean> {
    const { admitting } = this.#parts
    try {
      await inside.hold(orgLock(org), () => admitting.tell(org, isReachable))
      return true
    } catch (error) {
      admitting.logFailure(org, error)
      return false
    }
  }

  /** What production's media server sends on to the sandbox's own. */
  async #handOver(): Promise<boolean> {
    const { planes, settings, logger } = this.#parts
    const { mediaAddress, fleets } = settings
    if (!planes.areSeparate) return true
    if (mediaAddress === undefined) {
      logger.warn(
        'no call is handed over to the sandbox: set SVC_MEDIA_ADDRESS to where production calls from',
      )
      return true
    }
    try {
      await planes.handOver({ address: mediaAddress, fleet: fleets.sandbox })
      return true
    } catch (error) {
      logger.warn({ err: error }, 'the sandbox takes no handed-over calls yet: told again soon')
      return false
    }
  }
}

import type { Check } from '../../database/due-checks.ts'
import { environments, type Environment } from '@switchroom/contract/scopes'
import type { Logger } from 'pino'
import type { Database } from '../../database/database.ts'
import { later, minuteMs, secondMs, type Clock } from '../../foundation/clock.ts'
import type { TelephonySettings } from '../../foundation/telephony-settings.ts'
import type { NumberAdmission } from './admission.ts'
import * as store from './admission.store.ts'
import type { HookedApprovals } from './hooked-approvals.ts'
import { orgLock, reconciliationLock, type LockHolder, type NumberLocks } from './number-locks.ts'
import type { Planes } from './planes.ts'

const firstWaitMs = 2 * secondMs
const longestWaitMs = minuteMs

export interface ReconciliationParts {
  database: Database
  clock: Clock
  logger: Logger
  locks: NumberLocks
  planes: Planes
  admission: NumberAdmission
  approvals: HookedApprovals
  settings: Pick<TelephonySettings, 'approveHooked' | 'mediaAddress' | 'fleets'>
}

/**
 * Makes the media planes admit what the tables say: once when the gateway has started, and again while anything
 * failed, the whole set each time. The carrier is never asked.
 */
export class Reconciliation {
  readonly #parts: ReconciliationParts
  /** When the next run begins; undefined while nothing is left to do. */
  #dueAt: Date | undefined
  #waitMs = firstWaitMs
  #hasBegun = false

  constructor(parts: ReconciliationParts) {
    this.#parts = parts
  }

  /** The next poll runs. */
  begin() {
    this.#dueAt = this.#parts.clock.now()
  }

  /** Runs if it is time to; a run that is stopped is not complete. */
  /** Whether something is left over; undefined while a run is due at a time of its own. */
  get leftOver(): Check | undefined {
    return this.#dueAt ? undefined : store.anyDueCheck(later(this.#parts.clock.now(), -firstWaitMs))
  }

  async poll(stopping: AbortSignal): Promise<void> {
    const { clock, locks } = this.#parts
    const now = clock.now()
    if (this.#dueAt ? now < this.#dueAt : !(await this.#isLeftOver(now))) return
    let isComplete = false
    const hasRun = await locks.withLockIfFree(reconciliationLock, async (holder) => {
      isComplete = await this.#run(holder, stopping)
    })
    if (!hasRun) return void (this.#dueAt = later(clock.now(), firstWaitMs)) // another gateway is at it
    this.#dueAt = isComplete ? undefined : later(clock.now(), this.#waitMs)
    this.#waitMs = isComplete ? firstWaitMs : Math.min(2 * this.#waitMs, longestWaitMs)
  }

  /** Something that a media plane did not admit when it was changed, here or on a gateway that died. */
  async #isLeftOver(now: Date): Promise<boolean> {
    const isDue = await store.isAnyDue(this.#parts.database, later(now, -firstWaitMs))
    if (isDue) this.#waitMs = 2 * firstWaitMs
    return isDue
  }

  /** Whether the media planes admit everything now. */
  async #run(holder: LockHolder, stopping: AbortSignal): Promise<boolean> {
    const { database, settings, approvals } = this.#parts
    if (!settings.approveHooked && !this.#hasBegun) await approvals.approveAll()
    this.#hasBegun = true
    const listed = new Map<Environment, string[]>()
    for (const env of environments) {
      const orgs = await this.#orgsAt(env)
      if (orgs) listed.set(env, orgs)
    }
    const orgs = new Set([...(await store.listOrgs(database)), ...[...listed.values()].flat()])
    let isComplete = listed.size === environments.length
    for (const org of orgs) {
      if (stopping.aborted) return false
      if (!(await this.#apply(holder, org, (env) => listed.has(env)))) isComplete = false
    }
    return (await this.#handOver()) && isComplete
  }

  /** The orgs that a media plane admits anything of; undefined if it cannot be reached. */
  async #orgsAt(env: Environment): Promise<string[] | undefined> {
    const { database, planes, logger } = this.#parts
    try {
      const fences = await planes.of(env).list()
      return fences.flatMap(({ name }) => name.split('/', 1))
    } catch (error) {
      logger.warn({ env, err: error }, 'the media plane cannot be reached: retried soon')
      await store.setAllUnadmitted(database, env)
      return undefined
    }
  }

  /** One org's failure is its own. */
  async #apply(
    holder: LockHolder,
    org: string,
    isReachable: (env: Environment) => boolean,
  ): Promise<boolean> {
    const { admission } = this.#parts
    try {
      await holder.withLock(orgLock(org), () => admission.apply(org, isReachable))
      return true
    } catch (error) {
      admission.logFailure(org, error)
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
        'no call is handed over to the sandbox: set SVC_MEDIA_ADDRESS to the address that production calls from',
      )
      return true
    }
    try {
      await planes.handOver({ address: mediaAddress, fleet: fleets.sandbox })
      return true
    } catch (error) {
      logger.warn({ err: error }, 'the sandbox takes no handed-over calls yet: retried soon')
      return false
    }
  }
}

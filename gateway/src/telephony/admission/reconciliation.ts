import type { Check } from '../../database/due-checks.ts'
import { environments, type Environment } from '@switchroom/contract/scopes'
import type { Logger } from 'pino'
import type { Database } from '../../database/database.ts'
import { later, minuteMs, secondMs, type Clock } from '../../foundation/clock.ts'
import type { TelephonySettings } from '../../foundation/telephony-settings.ts'
import type { NumberAdmission } from './admission.ts'
import * as store from './admission.store.ts'
import type { BatchAdmission } from './batch-admission.ts'
import type { HookedApprovals } from './hooked-approvals.ts'
import { orgLock, reconciliationLock, type LockHolder, type NumberLocks } from './number-locks.ts'
import type { Planes } from './planes.ts'

const firstWaitMs = 2 * secondMs
const longestWaitMs = minuteMs
/** A batch of orgs has as many, unless a single org has more. */
const numbersAtMost = 5_000
const orgsAtMost = 500

export interface ReconciliationParts {
  database: Database
  clock: Clock
  logger: Logger
  locks: NumberLocks
  planes: Planes
  admission: NumberAdmission
  batches: BatchAdmission
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

  /** Whether something is left over; undefined while a run is due at a time of its own. */
  get leftOver(): Check | undefined {
    return this.#dueAt ? undefined : store.anyDueCheck(later(this.#parts.clock.now(), -firstWaitMs))
  }

  /** Runs if it is time to; a run that is stopped is not complete. */
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
    const numbers = new Map([...listed.values()].flat().map((org) => [org, 0]))
    for (const found of await store.listOrgs(database)) numbers.set(found.org, found.numbers)
    const isReachable = (env: Environment) => listed.has(env)
    let isComplete = environments.every(isReachable)
    for (const batch of batchesOf(numbers)) {
      const left = environments.every(isReachable) ? await this.#applyBatch(holder, batch) : batch
      for (const org of left) {
        if (stopping.aborted) return false
        if (!(await this.#apply(holder, org, isReachable))) isComplete = false
      }
      if (stopping.aborted) return false
    }
    return (await this.#handOver()) && isComplete
  }

  /** Admits what can be admitted at once; returns the orgs that have to be looked at one by one. */
  async #applyBatch(holder: LockHolder, orgs: readonly string[]): Promise<readonly string[]> {
    const { batches, logger } = this.#parts
    const oneByOne = (left: readonly string[]) => (error: unknown) => {
      logger.debug({ err: error }, 'the numbers of several orgs are looked at one by one')
      return left
    }
    const unsettled = await batches.unsettled(orgs).catch(oneByOne(orgs))
    if (unsettled.length < 2 || !batches.isPossible) return unsettled
    const applied = holder.withFreeOf(unsettled.map(orgLock), async (held) => {
      const [free, taken] = partition(unsettled, (org) => held.has(orgLock(org)))
      return free.length > 0 ? [...taken, ...(await batches.apply(free))] : taken
    })
    return applied.catch(oneByOne(unsettled))
  }

  /** The orgs that a media plane admits anything of; undefined if it cannot be reached. */
  async #orgsAt(env: Environment): Promise<string[] | undefined> {
    const { database, planes, logger } = this.#parts
    try {
      return await planes.of(env).orgs()
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

function partition(orgs: readonly string[], isFirst: (org: string) => boolean): [string[], string[]] {
  return [orgs.filter(isFirst), orgs.filter((org) => !isFirst(org))]
}

/** Orgs by how many numbers they have, as many at once as a gateway may well read and change together. */
function* batchesOf(numbersOf: ReadonlyMap<string, number>): Generator<string[]> {
  let [batch, total] = [[] as string[], 0]
  for (const [org, numbers] of numbersOf) {
    if (batch.length === orgsAtMost || (batch.length > 0 && total + numbers > numbersAtMost)) {
      yield batch
      ;[batch, total] = [[], 0]
    }
    batch.push(org)
    total += numbers
  }
  if (batch.length > 0) yield batch
}

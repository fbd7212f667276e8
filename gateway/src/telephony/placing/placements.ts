import type { NewEntry } from '@switchroom/contract/log'
import type { Environment } from '@switchroom/contract/scopes'
import { MediaError, unanswered, type MediaPlane, type PlacingResult } from '@switchroom/media/plane'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { RunningGateways } from '../../agents/apps/running-gateways.ts'
import type { Log } from '../../calls/log/log.ts'
import { aboutCall, callLog } from '../../calls/log/entries.ts'
import type { LiveLogs } from '../../calls/log/live-logs.ts'
import type { Check } from '../../database/due-checks.ts'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import type { GatewayMeters } from '../../database/room.ts'
import { dayMs, later, minuteMs, secondMs, type Clock } from '../../foundation/clock.ts'
import { carrierRoutes, resultOver, type TrunkOf } from './carrier-routes.ts'
import * as store from './placements.store.ts'

/** A worker that did not take an answered call by then never will. */
const takenWithinMs = 30 * secondMs
/** Longer than the far end rings: what this gateway does not place by then it has forgotten. */
const placedWithinMs = 2 * minuteMs
const stopWithinMs = 5 * secondMs
/** How long the row is kept, beside the call's log. */
const keptMs = dayMs

/** A call that was taken for dialling. */
export interface Placement {
  call: string
  org: string
  env: Environment
  agent: string
  to: string
  from: string
  account: string
  /** To try in this order if that one cannot carry the call. */
  fallbackAccounts: readonly string[]
  maxDurationS: number
}

export interface PlacementsParts {
  database: Database
  clock: Clock
  logger: Logger
  log: Log
  liveLogs: LiveLogs
  meters: GatewayMeters
  gateways: Pick<RunningGateways, 'id' | 'alive'>
  planes: { of(env: Environment): MediaPlane }
  trunkOf: TrunkOf
  fleets: Record<Environment, string>
}

/** Calls on their way out: placed beside the answer to the dial, and nothing is tried twice. */
export class Placements {
  readonly #parts: PlacementsParts
  readonly #placing = new Map<string, { abort: AbortController; done: Promise<void> }>()
  #isStopping = false

  constructor(parts: PlacementsParts) {
    this.#parts = parts
  }

  /** Kept with the call's record, and placed after the commit. */
  async add(tx: Transaction, placement: Placement, askedAt: Date) {
    const gateway = this.#parts.gateways.id
    await store.insertPlacement(tx, { ...placement, gateway, askedAt })
    tx.afterCommit(() => this.#begin(placement))
  }

  /** Ends what a gateway left behind, and answered calls that no worker took. */
  get due(): Check {
    return store.unsettledCheck
  }

  async poll() {
    const { database, clock, gateways, logger } = this.#parts
    const now = clock.now()
    await store.settleRunning(database, now)
    const left = await store.listLeft(database, gateways.id, {
      seen: gateways.alive.since,
      answered: later(now, -takenWithinMs),
      asked: later(now, -placedWithinMs),
    })
    for (const one of left)
      if (!this.#placing.has(one.call))
        await this.#endLeft(one).catch((error: unknown) =>
          logger.warn({ err: error, call: one.call }, 'a call that was left on its way out was not ended'),
        )
  }

  async deleteExpired(database: Queryable = this.#parts.database) {
    await store.forgetSettled(database, later(this.#parts.clock.now(), -keptMs))
  }

  /** Stops ringing; what does not end in time is ended by another gateway. */
  async stop() {
    this.#isStopping = true
    for (const { abort } of this.#placing.values()) abort.abort()
    const all = Promise.all(Array.from(this.#placing.values(), ({ done }) => done))
    await Promise.race([all, pause(stopWithinMs, undefined, { ref: false })])
  }

  #begin(placement: Placement) {
    const abort = new AbortController()
    if (this.#isStopping) abort.abort()
    const done = this.#run(placement, abort)
      .catch((error: unknown) =>
        this.#parts.logger.error(
          { err: error, ...aboutPlacement(placement) },
          'the outcome of a dial was not written',
        ),
      )
      .finally(() => this.#placing.delete(placement.call))
    this.#placing.set(placement.call, { abort, done })
  }

  async #run(placement: Placement, abort: AbortController) {
    const { liveLogs, log } = this.#parts
    const { call } = placement
    const tail = await liveLogs.follow(call, (entries) => {
      if (entries.some(({ type }) => type === 'call.ended')) abort.abort()
    })
    try {
      if ((await log.find(call))?.sealed !== false) abort.abort()
      const result = await this.#place(placement, abort.signal)
      const isOver = this.#isStopping && result.outcome !== 'answered'
      await this.#settle(placement, isOver ? stopped : result)
    } finally {
      tail.stop()
    }
  }

  async #place(placement: Placement, signal: AbortSignal): Promise<PlacingResult> {
    const { trunkOf, planes, fleets, logger } = this.#parts
    const { org, env, account, fallbackAccounts } = placement
    try {
      const accounts = [account, ...fallbackAccounts]
      const { routes, failed } = await carrierRoutes(trunkOf, org, accounts)
      const [first, ...fallbacks] = routes
      if (!first) return unanswered('dial_failed', failed.map(({ why }) => why).join('; '))
      const placed = { ...placement, ...first, fallbacks, fleet: fleets[env] }
      return resultOver(accounts, await planes.of(env).place(placed, signal), failed)
    } catch (error) {
      logger.warn({ err: error, ...aboutPlacement(placement) }, 'a call could not be placed')
      const why = error instanceof MediaError ? error.message : 'the call could not be placed'
      return unanswered('dial_failed', why)
    }
  }

  /** Into the log, unless the call was ended meanwhile: then a far end that answered is hung up. */
  async #settle({ env, call }: Pick<Placement, 'env' | 'call'>, result: PlacingResult) {
    const { database, clock, log } = this.#parts
    const isAnswered = result.outcome === 'answered'
    const isTaken = await database.transaction(async (tx) => {
      const held = await log.lock(tx, call)
      const set = isAnswered ? store.setAnswered : store.setSettled
      if (!(await set(tx, call, clock.now())) || !held || held.sealed) return false
      await store.insertResult(tx, call, result, clock.now())
      await log.appendIn(
        tx,
        callLog({ ...held, id: call }),
        isAnswered ? answeredBy(result) : endedBy(result),
      )
      return true
    })
    if (isTaken) this.#count(env, result)
    if (isAnswered && !isTaken) await this.#hangUp(env, call)
  }

  async #endLeft({ call, env, isAnswered }: store.LeftPlacement) {
    const { database, clock, log } = this.#parts
    const isEnded = await database.transaction(async (tx) => {
      const held = await log.lock(tx, call)
      if (!(await store.setSettled(tx, call, clock.now())) || !held || held.sealed) return false
      if (!isAnswered) await store.insertResult(tx, call, lost, clock.now())
      await log.appendIn(tx, callLog({ ...held, id: call }), isAnswered ? untaken : endedBy(lost))
      return true
    })
    if (isEnded && !isAnswered) this.#count(env, lost)
    if (isEnded) await this.#hangUp(env, call)
  }

  #count(env: Environment, { outcome }: PlacingResult) {
    this.#parts.meters.count('switchroom_dial_results_total', [env, outcome])
  }

  async #hangUp(env: Environment, call: string) {
    const { planes, logger } = this.#parts
    await planes
      .of(env)
      .hangUp(call)
      .catch((error: unknown) => logger.warn({ err: error, call }, 'a call was not hung up'))
  }
}

const aboutPlacement = ({ call, org, agent }: Placement) => aboutCall({ id: call, org, agent })

const answeredBy = (result: PlacingResult): NewEntry[] => [
  { type: 'call.answered', data: carriedBy(result) },
  { type: 'call.started', data: {} },
]

/** Which account the call went through, if it was not the first that was tried. */
const carriedBy = ({ account, failed_accounts }: PlacingResult) =>
  failed_accounts ? { ...(account !== undefined && { account }), failed_accounts } : {}

const stopped = unanswered('dial_failed', 'the gateway that placed the call stopped')
const lost = unanswered('dial_failed', 'the gateway that placed the call is gone')

const untaken: NewEntry[] = [
  {
    type: 'error',
    data: {
      code: 'worker_lost',
      detail: `no worker took the call within ${takenWithinMs / secondMs} seconds after it was answered`,
    },
  },
  { type: 'call.ended', data: { reason: 'failed' } },
]

/** The far end's own answer, if there was one, is beside the words for it. */
function endedBy(result: PlacingResult): NewEntry[] {
  const { outcome, why: said, sip_status, sip_reason } = result
  const why = said ?? (outcome === 'dial_failed' ? 'the far end could not be reached' : null)
  const answer = { ...(sip_status !== null && { sip_status, sip_reason }), ...carriedBy(result) }
  const ended = { type: 'call.ended', data: { reason: outcome, ...(why !== null && { why }), ...answer } }
  if (outcome !== 'dial_failed') return [ended]
  return [{ type: 'error', data: { code: 'dial_failed', detail: why, ...answer } }, ended]
}

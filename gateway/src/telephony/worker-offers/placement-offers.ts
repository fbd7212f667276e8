import { plainLine } from '@switchroom/media/failure-words'
import type { DialTold, Placement, TellPlacement, ToldPlacement } from '@switchroom/contract/media-plane'
import type { PlacementRequests } from '@switchroom/media/embedded'
import {
  placedAndAnswered,
  refusedBySip,
  unanswered,
  type PlacedCall,
  type PlacingResult,
} from '@switchroom/media/plane'
import type { Database, Queryable } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { hourMs, later, secondMs, type Clock } from '../../foundation/clock.ts'
import { badRequest, conflict, notFound } from '../../foundation/refusals.ts'
import type { SealedPlace, Vault } from '../../foundation/sealing.ts'
import * as store from './placement-offers.store.ts'
import type { WorkerNotifier } from './worker-notifier.ts'

/** A call that no worker took by then is not dialled any more, even if the gateway that offered it is gone. */
const offeredForMs = 15 * secondMs
/** How often a waiting request looks at the clock. */
const pollEveryMs = secondMs
const longestWhy = 500
/** For as long, a worker that repeats its outcome is answered. */
const keptMs = hourMs

export interface PlacementOfferParts {
  database: Database
  clock: Clock
  vault: Vault
  notifier: WorkerNotifier
}

/** Calls that the embedded media plane offers to its workers: each is dialled by one of them. */
export class PlacementOffers implements PlacementRequests {
  readonly #parts: PlacementOfferParts

  constructor(parts: PlacementOfferParts) {
    this.#parts = parts
  }

  async offer(placed: PlacedCall): Promise<void> {
    const { database, clock, vault } = this.#parts
    const { call, org, env, agent, to, from, trunk, account, fallbacks = [], maxDurationS } = placed
    const placement: Placement = {
      call,
      org,
      env,
      agent,
      to,
      from,
      trunk,
      account,
      ...(fallbacks.length > 0 && { fallbacks: [...fallbacks] }),
      max_duration_s: maxDurationS,
    }
    const sealed = vault.seal(JSON.stringify(placement), placeOf(call))
    await store.insertOffer(database, { call, org, env, sealed }, clock.now())
    this.#parts.notifier.offered(env)
  }

  async waitTaken(call: string, withinS: number, signal: AbortSignal): Promise<{ isTaken: boolean }> {
    const found = await this.#wait(call, withinS, signal, ({ worker }) => worker !== null)
    return { isTaken: found }
  }

  async waitTold(call: string, withinS: number, signal: AbortSignal): Promise<void> {
    await this.#wait(call, withinS, signal, ({ outcome }) => outcome !== null)
  }

  async close(call: string, result: PlacingResult): Promise<PlacingResult> {
    const closed = await store.closeOffer(this.#parts.database, call, result)
    if (closed) this.#parts.notifier.moved(call)
    return closed ?? result
  }

  /** A call for this worker to dial: of its own org; for a worker of the platform, of any org. */
  async takeNext({ env, org, kind }: Caller, worker: string): Promise<Placement | undefined> {
    const { database, clock, vault, notifier } = this.#parts
    const since = later(clock.now(), -offeredForMs)
    const taken = await store.takeOffer(database, env, kind === 'fleet' ? '' : org, since, worker)
    if (taken) notifier.moved(taken.call)
    return taken && (JSON.parse(vault.open(taken.sealed, placeOf(taken.call))) as Placement)
  }

  async giveBack(call: string, worker: string) {
    const given = await store.giveBackOffer(this.#parts.database, call, worker)
    if (given) this.#parts.notifier.offered(given.env)
  }

  /** The outcome of the dial, once. */
  async tell(caller: Caller, call: string, told: TellPlacement): Promise<ToldPlacement> {
    const { database, notifier } = this.#parts
    const { org, env } = caller
    const { worker } = told
    const result = { ...resultIn(told), ...carriersIn(told) }
    const { outcome } = result
    if (await store.tellOffer(database, { call, org, env, worker }, result)) {
      notifier.moved(call)
      return { call, outcome }
    }
    const state = await store.readOfferOf(database, call, org, env)
    if (!state) throw notFound(`the call ${call} is not there to be dialled`)
    if (state.worker !== worker) throw conflict(`the call ${call} is not yours to dial`)
    if (state.outcome !== outcome)
      throw conflict(`the call ${call} is over: ${state.outcome ?? 'the dial was given up'}`)
    return { call, outcome }
  }

  async deleteExpired(database: Queryable = this.#parts.database) {
    await store.deleteOffers(database, later(this.#parts.clock.now(), -keptMs))
  }

  async #wait(
    call: string,
    withinS: number,
    signal: AbortSignal,
    isReached: (state: store.PlacementOfferState) => boolean,
  ): Promise<boolean> {
    const { database, clock, notifier } = this.#parts
    const until = later(clock.now(), withinS * secondMs)
    for (;;) {
      const woken = notifier.forCalls.next(call)
      const state = await store.readOffer(database, call)
      if (!state) return false
      if (isReached(state)) return true
      if (state.outcome !== null) return false
      if (signal.aborted || clock.now() >= until) return false
      await woken.within(pollEveryMs, signal)
    }
  }
}

const carriersIn = ({ account, failed_accounts = [] }: TellPlacement): Partial<PlacingResult> => ({
  ...(account !== undefined && { account: plainLine(account) }),
  ...(failed_accounts.length > 0 && {
    failed_accounts: failed_accounts.map((one) => ({ ...one, why: plainLine(one.why, longestWhy) })),
  }),
})

/** What a worker says of a dial. */
export function resultIn({ outcome, sip_status, sip_reason, why }: DialTold): PlacingResult {
  const words = why === undefined ? undefined : plainLine(why, longestWhy)
  if (outcome === undefined && sip_status !== undefined)
    return refusedBySip(sip_status, sip_reason ?? '', words)
  if (outcome === undefined || sip_status !== undefined)
    throw badRequest('tell the outcome or the SIP status, one of them')
  return outcome === 'answered' ? placedAndAnswered : unanswered(outcome, words ?? null)
}

export const placeOf = (call: string): SealedPlace => `placement_offers:${call}:sealed`

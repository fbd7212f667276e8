import type { Placement, TellPlacement, ToldPlacement } from '@switchroom/contract/media-plane'
import type { PlacementRequests } from '@switchroom/media/embedded'
import { outcomeOfSip, type PlacedCall, type PlacingOutcome } from '@switchroom/media/plane'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { hourMs, later, secondMs, type Clock } from '../../foundation/clock.ts'
import { badRequest, conflict, notFound } from '../../foundation/refusals.ts'
import type { SealedPlace, Vault } from '../../foundation/sealing.ts'
import * as store from './offers.store.ts'
import type { WorkerNotifier } from './worker-notifier.ts'

/** A call that nobody took by then is no longer wanted, whatever became of the gateway that offered it. */
const offeredForMs = 15 * secondMs
/** How often one who waits looks at the clock. */
const pollEveryMs = secondMs
/** A worker that repeats what it told is answered for as long. */
const keptMs = hourMs

export interface OfferParts {
  database: Database
  clock: Clock
  vault: Vault
  bell: WorkerNotifier
}

/** Calls that the embedded media plane lays before its workers: each is dialled by one of them. */
export class PlacementOffers implements PlacementRequests {
  readonly #parts: OfferParts

  constructor(parts: OfferParts) {
    this.#parts = parts
  }

  async offer(placed: PlacedCall): Promise<void> {
    const { database, clock, vault } = this.#parts
    const { call, org, env, agent, to, from, trunk, maxDurationS } = placed
    const placement: Placement = { call, org, env, agent, to, from, trunk, max_duration_s: maxDurationS }
    const sealed = vault.seal(JSON.stringify(placement), placeOf(call))
    await store.insertOffer(database, { call, org, env, sealed }, clock.now())
  }

  async waitTaken(call: string, withinS: number, signal: AbortSignal): Promise<{ isTaken: boolean }> {
    const found = await this.#wait(call, withinS, signal, ({ worker }) => worker !== null)
    return { isTaken: found }
  }

  async waitTold(call: string, withinS: number, signal: AbortSignal): Promise<void> {
    await this.#wait(call, withinS, signal, ({ outcome }) => outcome !== null)
  }

  async close(call: string, outcome: PlacingOutcome): Promise<PlacingOutcome> {
    const closed = await store.closeOffer(this.#parts.database, call, outcome)
    return closed?.outcome ?? outcome
  }

  /** A call for this worker to dial: of its own org, or for the platform's workers of any. */
  async takeNext({ env, org, kind }: Caller, worker: string): Promise<Placement | undefined> {
    const { database, clock, vault } = this.#parts
    const since = later(clock.now(), -offeredForMs)
    const taken = await store.takeOffer(database, env, kind === 'fleet' ? '' : org, since, worker)
    return taken && (JSON.parse(vault.open(taken.sealed, placeOf(taken.call))) as Placement)
  }

  async giveBack(call: string, worker: string) {
    await store.giveBackOffer(this.#parts.database, call, worker)
  }

  /** How the dial went, once. */
  async tell(caller: Caller, call: string, told: TellPlacement): Promise<ToldPlacement> {
    const { database } = this.#parts
    const { org, env } = caller
    const { worker } = told
    const outcome = outcomeIn(told)
    if (await store.tellOffer(database, { call, org, env, worker }, outcome)) return { call, outcome }
    const standing = await store.readOfferOf(database, call, org, env)
    if (!standing) throw notFound(`the call ${call} is not there to be dialled`)
    if (standing.worker !== worker) throw conflict(`the call ${call} is not yours to dial`)
    if (standing.outcome !== outcome)
      throw conflict(`the call ${call} is over: ${standing.outcome ?? 'nobody waits for it'}`)
    return { call, outcome }
  }

  async deleteExpired() {
    await store.forgetOffers(this.#parts.database, later(this.#parts.clock.now(), -keptMs))
  }

  async #wait(
    call: string,
    withinS: number,
    signal: AbortSignal,
    isWaitedFor: (standing: store.OfferStanding) => boolean,
  ): Promise<boolean> {
    const { database, clock, bell } = this.#parts
    const until = later(clock.now(), withinS * secondMs)
    for (;;) {
      const woken = bell.forCalls.next(call)
      const standing = await store.readOffer(database, call)
      if (!standing || standing.outcome !== null) return false
      if (isWaitedFor(standing)) return true
      if (signal.aborted || clock.now() >= until) return false
      await woken.within(pollEveryMs, signal)
    }
  }
}

function outcomeIn({ outcome, sip_status }: TellPlacement): PlacingOutcome {
  if (outcome !== undefined && sip_status === undefined) return outcome
  if (outcome === undefined && sip_status !== undefined) return outcomeOfSip(sip_status)
  throw badRequest('tell the outcome or the SIP status, one of them')
}

export const placeOf = (call: string): SealedPlace => `placement_offers:${call}:sealed`

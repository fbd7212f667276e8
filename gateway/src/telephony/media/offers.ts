import type { Placement, TakePlacement, TellPlacement, ToldPlacement } from '@switchroom/contract/media-plane'
import type { PlacementDesk } from '@switchroom/media/embedded'
import { outcomeOfSip, type PlacedCall, type PlacingOutcome } from '@switchroom/media/plane'
import type { Database } from '../../database/database.ts'
import type { Signals } from '../../database/signals.ts'
import type { Caller } from '../../foundation/caller.ts'
import { hourMs, later, secondMs, type Clock } from '../../foundation/clock.ts'
import { badRequest, conflict, notFound } from '../../foundation/refusals.ts'
import type { SealedPlace, Vault } from '../../foundation/sealing.ts'
import * as store from './offers.store.ts'
import { Waiting } from './waiting.ts'

/** A call that nobody took by then is no longer wanted, whatever became of the gateway that offered it. */
const offeredForMs = 15 * secondMs
const longestWaitS = 25
/** How often one who waits looks at the clock. */
const lookEveryMs = secondMs
/** A worker that repeats what it told is answered for as long. */
const keptMs = hourMs

export interface OfferParts {
  database: Database
  clock: Clock
  vault: Vault
  signals: Signals
}

/** Calls that the embedded media plane lays before its workers: each is dialled by one of them. */
export class PlacementOffers implements PlacementDesk {
  readonly #parts: OfferParts
  readonly #forCalls = new Waiting()
  readonly #forWorkers = new Waiting()

  constructor(parts: OfferParts) {
    this.#parts = parts
    const wakeBoth = () => (this.#forCalls.wakeAll(), this.#forWorkers.wakeAll())
    parts.signals.on(store.offeredChannel, (env) => this.#forWorkers.wake(env), wakeBoth)
    parts.signals.on(store.movedChannel, (call) => this.#forCalls.wake(call))
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
  async take(caller: Caller, asked: TakePlacement, gone: AbortSignal): Promise<Placement | null> {
    const { clock, vault } = this.#parts
    const until = later(clock.now(), (asked.wait_s ?? longestWaitS) * secondMs)
    for (;;) {
      const woken = this.#forWorkers.next(caller.env)
      const taken = gone.aborted ? undefined : await this.#takeNext(caller, asked.worker)
      if (taken && !gone.aborted)
        return JSON.parse(vault.open(taken.sealed, placeOf(taken.call))) as Placement
      if (taken) await store.giveBackOffer(this.#parts.database, taken.call, asked.worker)
      const isOver = () => gone.aborted || clock.now() >= until
      while (!isOver() && !(await woken.within(lookEveryMs, gone)));
      if (isOver()) return null
    }
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

  async forgetDead() {
    await store.forgetOffers(this.#parts.database, later(this.#parts.clock.now(), -keptMs))
  }

  #takeNext({ env, org, kind }: Caller, worker: string) {
    const { database, clock } = this.#parts
    return store.takeOffer(
      database,
      env,
      kind === 'fleet' ? '' : org,
      later(clock.now(), -offeredForMs),
      worker,
    )
  }

  async #wait(
    call: string,
    withinS: number,
    signal: AbortSignal,
    isWaitedFor: (standing: store.OfferStanding) => boolean,
  ): Promise<boolean> {
    const { database, clock } = this.#parts
    const until = later(clock.now(), withinS * secondMs)
    for (;;) {
      const woken = this.#forCalls.next(call)
      const standing = await store.readOffer(database, call)
      if (!standing || standing.outcome !== null) return false
      if (isWaitedFor(standing)) return true
      if (signal.aborted || clock.now() >= until) return false
      await woken.within(lookEveryMs, signal)
    }
  }
}

function outcomeIn({ outcome, sip_status }: TellPlacement): PlacingOutcome {
  if (outcome !== undefined && sip_status === undefined) return outcome
  if (outcome === undefined && sip_status !== undefined) return outcomeOfSip(sip_status)
  throw badRequest('tell the outcome or the SIP status, one of them')
}

const placeOf = (call: string): SealedPlace => `placement_offers:${call}:sealed`

import type { TakenPlacement, TakePlacement } from '@switchroom/contract/media-plane'
import type { Caller } from '../../foundation/caller.ts'
import { later, secondMs, type Clock } from '../../foundation/clock.ts'
import type { PlacementOffers } from './placement-offers.ts'
import type { SoundOffers } from './sound-offers.ts'
import type { TrunkTestOffers } from './trunk-test-offers.ts'
import type { WorkerNotifier } from './worker-notifier.ts'

const longestWaitS = 25
/** How often a waiting request looks at the clock. */
const pollEveryMs = secondMs
const nothing: TakenPlacement = { placement: null, offer: null }

export interface OfferClaimsParts {
  clock: Clock
  notifier: WorkerNotifier
  placementOffers: Pick<PlacementOffers, 'takeNext' | 'giveBack'>
  soundOffers: Pick<SoundOffers, 'takeNext' | 'giveBack'>
  trunkTestOffers: Pick<TrunkTestOffers, 'takeNext' | 'giveBack'>
}

/** How a worker gets a call: of its own org; a worker of the platform, of any org. */
export class OfferClaims {
  readonly #parts: OfferClaimsParts

  constructor(parts: OfferClaimsParts) {
    this.#parts = parts
  }

  /** A call to dial or a browser's to answer; waits until there is one. */
  async take(caller: Caller, asked: TakePlacement, gone: AbortSignal): Promise<TakenPlacement> {
    const { clock, notifier } = this.#parts
    const until = later(clock.now(), (asked.wait_s ?? longestWaitS) * secondMs)
    for (;;) {
      const woken = notifier.forWorkers.next(caller.env)
      const taken = gone.aborted ? nothing : await this.#takeNext(caller, asked)
      if (!gone.aborted && (taken.placement ?? taken.offer ?? taken.test)) return taken
      await this.#giveBack(taken, asked.worker)
      const isOver = () => gone.aborted || clock.now() >= until
      while (!isOver() && !(await woken.within(pollEveryMs, gone)));
      if (isOver()) return nothing
    }
  }

  /** A browser's first: a person sits in front of it. */
  async #takeNext(caller: Caller, { worker, tests }: TakePlacement): Promise<TakenPlacement> {
    const { soundOffers, placementOffers, trunkTestOffers } = this.#parts
    const offer = await soundOffers.takeNext(caller, worker)
    if (offer) return { placement: null, offer }
    const placement = await placementOffers.takeNext(caller, worker)
    if (placement) return { placement, offer: null }
    const test = tests ? await trunkTestOffers.takeNext(caller, worker) : undefined
    return { ...nothing, ...(test && { test }) }
  }

  async #giveBack({ placement, offer, test }: TakenPlacement, worker: string) {
    if (test) await this.#parts.trunkTestOffers.giveBack(test.id, worker)
    if (placement) await this.#parts.placementOffers.giveBack(placement.call, worker)
    if (offer) await this.#parts.soundOffers.giveBack(offer.call, worker)
  }
}

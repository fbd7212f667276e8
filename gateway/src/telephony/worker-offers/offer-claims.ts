import type { TakenPlacement, TakePlacement } from '@switchroom/contract/media-plane'
import type { Caller } from '../../foundation/caller.ts'
import { later, secondMs, type Clock } from '../../foundation/clock.ts'
import type { SoundOffers } from './sound-offers.ts'
import type { PlacementOffers } from './placement-offers.ts'
import type { WorkerNotifier } from './worker-notifier.ts'

const longestWaitS = 25
/** How often one who waits looks at the clock. */
const pollEveryMs = secondMs
const nothing: TakenPlacement = { placement: null, offer: null }

export interface TakingParts {
  clock: Clock
  bell: WorkerNotifier
  placements: Pick<PlacementOffers, 'takeNext' | 'giveBack'>
  sounds: Pick<SoundOffers, 'takeNext' | 'giveBack'>
}

/** How a worker comes to a call: of its own org, or for the platform's workers of any. */
export class OfferClaims {
  readonly #parts: TakingParts

  constructor(parts: TakingParts) {
    this.#parts = parts
  }

  /** A call to dial or a browser's to answer; waits until there is one. */
  async take(caller: Caller, asked: TakePlacement, gone: AbortSignal): Promise<TakenPlacement> {
    const { clock, bell } = this.#parts
    const until = later(clock.now(), (asked.wait_s ?? longestWaitS) * secondMs)
    for (;;) {
      const woken = bell.forWorkers.next(caller.env)
      const taken = gone.aborted ? nothing : await this.#takeNext(caller, asked.worker)
      if (!gone.aborted && (taken.placement ?? taken.offer)) return taken
      await this.#giveBack(taken, asked.worker)
      const isOver = () => gone.aborted || clock.now() >= until
      while (!isOver() && !(await woken.within(pollEveryMs, gone)));
      if (isOver()) return nothing
    }
  }

  /** A browser's first: somebody sits before it. */
  async #takeNext(caller: Caller, worker: string): Promise<TakenPlacement> {
    const offer = await this.#parts.sounds.takeNext(caller, worker)
    if (offer) return { placement: null, offer }
    return { placement: (await this.#parts.placements.takeNext(caller, worker)) ?? null, offer: null }
  }

  async #giveBack({ placement, offer }: TakenPlacement, worker: string) {
    if (placement) await this.#parts.placements.giveBack(placement.call, worker)
    if (offer) await this.#parts.sounds.giveBack(offer.call, worker)
  }
}

import type { Infrastructure } from '../../database/room.ts'
import type { Log } from '../../calls/log/log.ts'
import { EmbeddedFences } from './embedded-fences.ts'
import { OfferClaims } from './offer-claims.ts'
import { PlacementOffers } from './placement-offers.ts'
import { SoundOffers } from './sound-offers.ts'
import { TrunkTestOffers } from './trunk-test-offers.ts'
import { WorkerNotifier } from './worker-notifier.ts'

/** What workers of the embedded media plane ask for: which callers to let in, and which calls to dial or to answer. */
export function makeWorkerOffers(parts: Infrastructure & { log: Log }) {
  const embeddedFences = new EmbeddedFences(parts)
  const notifier = new WorkerNotifier(parts)
  const placementOffers = new PlacementOffers({ ...parts, notifier })
  const soundOffers = new SoundOffers({ ...parts, notifier })
  const trunkTestOffers = new TrunkTestOffers({ ...parts, notifier })
  const offerClaims = new OfferClaims({ ...parts, notifier, placementOffers, soundOffers, trunkTestOffers })
  return {
    embeddedFences,
    workerNotifier: notifier,
    placementOffers,
    soundOffers,
    trunkTestOffers,
    offerClaims,
  }
}

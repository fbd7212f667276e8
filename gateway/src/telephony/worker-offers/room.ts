import { EmbeddedPlane } from '@switchroom/media/embedded'
import type { Infrastructure } from '../../database/room.ts'
import { Fences } from './embedded-fences.ts'
import { PlacementOffers } from './placement-offers.ts'
import { Planes } from '../admission/planes.ts'
import { SoundOffers } from './sound-offers.ts'
import { OfferClaims } from './offer-claims.ts'
import { WorkerNotifier } from './worker-notifier.ts'

/** Where calls come from and go to. */
export function makeMedia(parts: Infrastructure) {
  const fences = new Fences(parts)
  const bell = new WorkerNotifier(parts.signals)
  const placementOffers = new PlacementOffers({ ...parts, bell })
  const soundOffers = new SoundOffers({ ...parts, bell })
  const taking = new OfferClaims({
    clock: parts.clock,
    bell,
    placements: placementOffers,
    sounds: soundOffers,
  })
  const planes = new Planes(parts.settings.telephony, new EmbeddedPlane(fences, placementOffers))
  return { fences, placementOffers, soundOffers, taking, planes }
}

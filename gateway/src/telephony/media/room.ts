import { EmbeddedPlane } from '@switchroom/media/embedded'
import type { Ground } from '../../database/room.ts'
import { Fences } from './fences.ts'
import { PlacementOffers } from './offers.ts'
import { Planes } from './planes.ts'

/** Where calls come from and go to. */
export function makeMedia(parts: Ground) {
  const fences = new Fences(parts)
  const placementOffers = new PlacementOffers(parts)
  const planes = new Planes(parts.settings.telephony, new EmbeddedPlane(fences, placementOffers))
  return { fences, placementOffers, planes }
}

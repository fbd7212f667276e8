import { CallParams, WorkerHeaders } from '@switchroom/contract/calls'
import {
  FencesAsked,
  TakenPlacement,
  TakePlacement,
  TellPlacement,
  ToldPlacement,
  WorkerFences,
} from '@switchroom/contract/media-plane'
import { fleetOnly, openingWorker, worker } from '../../http/access.ts'
import { callerGone } from '../../http/caller-gone.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { EmbeddedFences } from './embedded-fences.ts'
import type { OfferClaims } from './offer-claims.ts'
import type { PlacementOffers } from './placement-offers.ts'

interface WorkerOffers {
  embeddedFences: EmbeddedFences
  placementOffers: PlacementOffers
  offerClaims: OfferClaims
}

/** What workers of the embedded media plane ask. */
export function workerOfferRoutes(
  server: Server,
  { embeddedFences, placementOffers, offerClaims }: WorkerOffers,
) {
  const stopping = new AbortController()
  server.addHook('preClose', async () => stopping.abort()) // a worker that waits is answered, and asks another gateway

  server.get(
    '/v1/worker/fences',
    {
      access: fleetOnly,
      schema: {
        summary: 'Which callers a worker of an environment lets in, to which numbers',
        querystring: FencesAsked,
        response: { 200: WorkerFences },
      },
    },
    async ({ query, headers }, reply) => {
      const gone = AbortSignal.any([callerGone(reply), stopping.signal])
      const answer = await embeddedFences.forWorkers(query, gone)
      return answer.sendTo(reply, headers['accept-encoding']?.toString())
    },
  )

  server.post(
    '/v1/worker/placements',
    {
      access: openingWorker,
      schema: {
        summary: "Take a call to dial, or a browser's to answer; waits until there is one",
        headers: WorkerHeaders,
        body: TakePlacement,
        response: { 200: TakenPlacement },
      },
    },
    ({ caller, body }, reply) =>
      offerClaims.take(caller, body, AbortSignal.any([callerGone(reply), stopping.signal])),
  )

  server.post(
    '/v1/worker/placements/:call',
    {
      access: worker,
      schema: {
        summary: 'Tell the outcome of dialling a call; 409 says that the call is over',
        params: CallParams,
        body: TellPlacement,
        response: { 200: ToldPlacement, ...refusals(404, 409) },
      },
    },
    ({ caller, params, body }) => placementOffers.tell(caller, params.call, body),
  )
}

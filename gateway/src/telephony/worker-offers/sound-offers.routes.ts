import { AnsweredSound, OfferSound } from '@switchroom/contract/browser-calls'
import { CallParams } from '@switchroom/contract/calls'
import { AnswerOffer, Reconnect, ReconnectAsked } from '@switchroom/contract/media-plane'
import { Nothing } from '@switchroom/contract/shapes'
import { open, worker } from '../../http/access.ts'
import { letAnyPageIn } from '../../http/any-page.ts'
import { presentedBearer } from '../../http/authentication.ts'
import { callerGone } from '../../http/caller-gone.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import { offersPath, type SoundOffers } from './sound-offers.ts'

export function soundOfferRoutes(server: Server, soundOffers: SoundOffers) {
  const stopping = new AbortController()
  server.addHook('preClose', async () => stopping.abort()) // a browser that waits is answered, and asks another gateway

  server.options(
    offersPath,
    {
      access: open,
      onRequest: [letAnyPageIn],
      schema: { summary: "A browser's question whether a page may connect", response: { 204: Nothing } },
    },
    async (_request, reply) => reply.code(204).send(),
  )

  server.post(
    offersPath,
    {
      access: open,
      onRequest: [letAnyPageIn],
      schema: {
        summary: "Offer a browser's microphone, with the participant token as the bearer",
        description:
          'Waits up to ten seconds for a worker. The token is used up by an answer; after a 503 it may be tried again. While the call runs, the browser that is in it may offer again with the token, to restart ICE.',
        body: OfferSound,
        response: { 201: AnsweredSound, ...refusals(401, 429, 503) },
      },
    },
    async ({ headers, body }, reply) => {
      const gone = AbortSignal.any([callerGone(reply), stopping.signal])
      return reply.code(201).send(await soundOffers.connect(presentedBearer(headers), body, gone))
    },
  )

  server.get(
    '/v1/worker/offers/:call',
    {
      access: worker,
      schema: {
        summary: 'What the browser of a running call offers anew, to restart ICE',
        params: CallParams,
        querystring: ReconnectAsked,
        response: { 200: Reconnect, ...refusals(404) },
      },
    },
    ({ caller, params, query }) => soundOffers.reconnecting(caller, params.call, query.worker),
  )

  server.post(
    '/v1/worker/offers/:call',
    {
      access: worker,
      schema: {
        summary: "Answer a browser's offer; 409 says that the browser no longer waits",
        params: CallParams,
        body: AnswerOffer,
        response: { 204: Nothing, ...refusals(404, 409) },
      },
    },
    async ({ caller, params, body }, reply) => {
      await soundOffers.answer(caller, params.call, body)
      return reply.code(204).send()
    },
  )
}

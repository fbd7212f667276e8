import {
  DeliveriesAsked,
  DeliveryDetail,
  DeliveryPage,
  Redelivered,
  RedeliverFailed,
  TestedWebhook,
} from '@switchroom/contract/webhooks'
import { Type } from 'typebox'
import { scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { WebhookDeliveries } from './deliveries.ts'

const Params = Type.Object({ id: Type.String() })
const DeliveryParams = Type.Object({ id: Type.String(), event: Type.String() })
const access = scope('pipeline', 'team')

export function webhookDeliveryRoutes(server: Server, deliveries: WebhookDeliveries) {
  server.get(
    '/v1/webhooks/:id/deliveries',
    {
      access,
      schema: {
        summary: 'What was and is to be sent to a webhook, newest first',
        params: Params,
        querystring: DeliveriesAsked,
        response: { 200: DeliveryPage, ...refusals(404) },
      },
    },
    (request) => deliveries.list(request.caller, request.params.id, request.query),
  )

  server.get(
    '/v1/webhooks/:id/deliveries/:event',
    {
      access,
      schema: {
        summary: 'A delivery with its request and every answer',
        params: DeliveryParams,
        response: { 200: DeliveryDetail, ...refusals(404) },
      },
    },
    (request) => deliveries.read(request.caller, request.params.id, request.params.event),
  )

  server.post(
    '/v1/webhooks/:id/deliveries/:event/redeliver',
    {
      access,
      schema: {
        summary: 'Send an event again, with the same id',
        params: DeliveryParams,
        response: { 200: DeliveryDetail, ...refusals(404, 409) },
      },
    },
    (request) => deliveries.redeliver(request.caller, request.params.id, request.params.event),
  )

  server.post(
    '/v1/webhooks/:id/redeliver',
    {
      access,
      schema: {
        summary: 'Send every event again that was given up',
        params: Params,
        body: RedeliverFailed,
        response: { 200: Redelivered, ...refusals(404, 409) },
      },
    },
    (request) => deliveries.redeliverFailed(request.caller, request.params.id, request.body),
  )

  server.post(
    '/v1/webhooks/:id/test',
    {
      access,
      schema: {
        summary: 'Send a test event to a webhook',
        params: Params,
        response: { 202: TestedWebhook, ...refusals(404, 409, 429) },
      },
    },
    async (request, reply) => reply.code(202).send(await deliveries.test(request.caller, request.params.id)),
  )
}

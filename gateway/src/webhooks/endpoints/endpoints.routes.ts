import {
  ChangeWebhook,
  CreatedWebhook,
  CreateWebhook,
  RotateSecret,
  Webhook,
  WebhookEventList,
  WebhookList,
} from '@switchroom/contract/webhooks'
import { Nothing } from '@switchroom/contract/shapes'
import { Type } from 'typebox'
import { scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { WebhookEndpoints } from './endpoints.ts'
import { listEventTypes } from './event-types.ts'

const Params = Type.Object({ id: Type.String() })
const access = scope('pipeline', 'team')

export function webhookEndpointRoutes(server: Server, endpoints: WebhookEndpoints) {
  server.get(
    '/v1/webhooks/event-types',
    {
      access,
      schema: {
        summary: 'Every event that can be sent to a webhook, with the schema of its data',
        response: { 200: WebhookEventList },
      },
    },
    () => listEventTypes(),
  )

  server.get(
    '/v1/webhooks',
    {
      access,
      schema: { summary: "The org's webhooks of the environment", response: { 200: WebhookList } },
    },
    (request) => endpoints.list(request.caller),
  )

  server.post(
    '/v1/webhooks',
    {
      access,
      schema: {
        summary: 'Create a webhook; its signing secret is shown once',
        body: CreateWebhook,
        response: { 201: CreatedWebhook, ...refusals(400, 409) },
      },
    },
    async (request, reply) => reply.code(201).send(await endpoints.create(request.caller, request.body)),
  )

  server.get(
    '/v1/webhooks/:id',
    {
      access,
      schema: {
        summary: 'A webhook, without its secret',
        params: Params,
        response: { 200: Webhook, ...refusals(404) },
      },
    },
    (request) => endpoints.read(request.caller, request.params.id),
  )

  server.patch(
    '/v1/webhooks/:id',
    {
      access,
      schema: {
        summary: 'Change, pause or resume a webhook',
        params: Params,
        body: ChangeWebhook,
        response: { 200: Webhook, ...refusals(400, 404, 409) },
      },
    },
    (request) => endpoints.change(request.caller, request.params.id, request.body),
  )

  server.post(
    '/v1/webhooks/:id/rotate',
    {
      access,
      schema: {
        summary: 'Give a webhook a new signing secret, beside which the older ones sign for a while',
        params: Params,
        body: RotateSecret,
        response: { 200: CreatedWebhook, ...refusals(400, 404) },
      },
    },
    (request) => endpoints.rotate(request.caller, request.params.id, request.body),
  )

  server.delete(
    '/v1/webhooks/:id',
    {
      access,
      schema: {
        summary: 'Delete a webhook, with what was still to be sent to it',
        params: Params,
        response: { 204: Nothing, ...refusals(404) },
      },
    },
    async (request, reply) => {
      await endpoints.remove(request.caller, request.params.id)
      return reply.code(204).send()
    },
  )
}

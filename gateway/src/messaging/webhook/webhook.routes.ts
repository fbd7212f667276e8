import { WebhookHandshake, WebhookTaken } from '@switchroom/contract/messaging'
import { Type } from 'typebox'
import { open } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { Webhook } from './webhook.ts'

const path = '/v1/msgapp/webhook'
const mostBytes = 4 * 1024 * 1024
const AnyDelivery = { type: 'object', additionalProperties: true }
const signedBy = 'x-hub-signature-256'

/** In a scope of its own, in which a body is bytes whatever its content type. */
export async function webhookRoutes(server: Server, webhook: Webhook) {
  await server.register(async (inner) => {
    const scope = inner as Server
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes, done) => done(null, bytes))
    scope.addHook('onRequest', async ({ method, headers }) => {
      webhook.refuseClosed()
      if (method !== 'POST') return
      webhook.signature(headers[signedBy])
      delete headers['content-type'] // a malformed one would be refused before the signature is looked at
    })

    scope.get(
      path,
      {
        access: open,
        schema: {
          summary: "The messaging platform's handshake: the challenge, when the word is right",
          querystring: WebhookHandshake,
          response: {
            200: { content: { 'text/plain': { schema: Type.String() } } },
            ...refusals(403, 503),
          },
        },
      },
      async ({ query }, reply) => reply.type('text/plain; charset=utf-8').send(webhook.handshake(query)),
    )

    scope.post(
      path,
      {
        access: open,
        bodyLimit: mostBytes,
        schema: {
          summary: 'What contacts wrote, delivered by the messaging platform',
          description:
            'A delivery in the platform’s own format, signed by `X-Hub-Signature-256` over its bytes. Delivered again after a 500 or a 503, only the messages not read before are read.',
          describedBody: { content: { 'application/json': { schema: AnyDelivery } } },
          response: { 200: WebhookTaken, ...refusals(403, 413, 500, 503) },
        },
      },
      async ({ body, headers }) =>
        webhook.take(Buffer.isBuffer(body) ? body : Buffer.alloc(0), headers[signedBy]),
    )
  })
}

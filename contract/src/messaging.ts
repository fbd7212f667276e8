import { Type, type Static } from 'typebox'

// The messaging platform's webhook: what the platform sends is its own format, read in the gateway.

/** Whatever the platform asks is answered, so nothing of it is held to a shape. */
export const WebhookHandshake = Type.Object(
  {
    'hub.mode': Type.Optional(Type.Unknown({ description: '`subscribe`' })),
    'hub.verify_token': Type.Optional(Type.Unknown({ description: 'the word in SVC_MSGAPP_VERIFY_TOKEN' })),
    'hub.challenge': Type.Optional(Type.Unknown({ description: 'what is answered' })),
  },
  { additionalProperties: true },
)
export type WebhookHandshake = Static<typeof WebhookHandshake>

export const WebhookTaken = Type.Object({
  received: Type.Integer({
    description: 'messages that this delivery brought first: on a queue now, or waiting for an app',
  }),
})
export type WebhookTaken = Static<typeof WebhookTaken>

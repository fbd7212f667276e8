import { Type, type Static } from 'typebox'
import { anyOf, nullable, oneOf, Timestamp, wholeNumberText } from './shapes.ts'
import {
  deliveryStates,
  mostWebhooks,
  webhookEventTypes,
  webhookPauses,
  webhookStates,
  webhookTestType,
} from './webhook-names.ts'

const NullableTimestamp = nullable(Timestamp)
const url = Type.String({ description: 'where events are posted, over https' })
const description = Type.String({ description: 'at most 200 characters' })
const names = (what: string) =>
  Type.Unsafe<string[] | null>({ type: ['array', 'null'], items: { type: 'string' }, description: what })
const types = names('such as `call.ended`, or `call.*` for all of a kind; null for every type')
const agents = names('events of these agents alone; null for every agent')

export const Webhook = Type.Object({
  id: Type.String(),
  url,
  description,
  types,
  agents,
  state: oneOf(webhookStates),
  paused_why: Type.Unsafe<(typeof webhookPauses)[number] | null>({
    type: ['string', 'null'],
    enum: [...webhookPauses, null],
    description: '`failing`: the gateway paused it, for no delivery had succeeded for three days',
  }),
  paused_at: NullableTimestamp,
  failing_since: nullable(
    Type.String({ ...Timestamp, description: 'since when no delivery succeeds; null if the last did' }),
  ),
  delivered_at: nullable(
    Type.String({ ...Timestamp, description: 'about when a delivery last succeeded, to the minute' }),
  ),
  older_secret_until: nullable(
    Type.String({ ...Timestamp, description: 'requests are signed with an older secret too, until then' }),
  ),
  created_at: Timestamp,
  changed_at: Timestamp,
})
export type Webhook = Static<typeof Webhook>

export const WebhookList = Type.Object({
  webhooks: Type.Array(Webhook, { description: `at most ${mostWebhooks} in an environment` }),
})
export type WebhookList = Static<typeof WebhookList>

export const CreateWebhook = Type.Object({
  url,
  description: Type.Optional(description),
  types: Type.Optional(types),
  agents: Type.Optional(agents),
})
export type CreateWebhook = Static<typeof CreateWebhook>

const secret = Type.String({ description: 'verifies signatures; shown this once' })

export const CreatedWebhook = Type.Object({ ...Webhook.properties, secret })
export type CreatedWebhook = Static<typeof CreatedWebhook>

/** Only the named fields change. */
export const ChangeWebhook = Type.Object({
  url: Type.Optional(url),
  description: Type.Optional(description),
  types: Type.Optional(types),
  agents: Type.Optional(agents),
  paused: Type.Optional(
    Type.Boolean({ description: 'events wait while it is paused, three days at most; false resumes' }),
  ),
})
export type ChangeWebhook = Static<typeof ChangeWebhook>

export const RotateSecret = Type.Object({
  older_for_s: Type.Optional(
    Type.Integer({
      description: 'for how long the older secrets sign too: 0 to 604800, a week; default 86400, a day',
    }),
  ),
})
export type RotateSecret = Static<typeof RotateSecret>

/** What an attempt to deliver had as its answer. */
const Attempt = Type.Object({
  attempt: Type.Integer(),
  at: Timestamp,
  duration_ms: Type.Integer(),
  headers: Type.Record(Type.String(), Type.String(), {
    description: 'what it was signed with; empty if nothing was sent',
  }),
  status: nullable(Type.Integer({ description: 'null without an answer' })),
  answer: nullable(Type.String({ description: 'the first 4096 bytes' })),
  error: nullable(Type.String({ description: 'why it counts as failed; null if it was delivered' })),
})

export const Delivery = Type.Object({
  event: Type.String({ description: 'the `webhook-id` of all its requests' }),
  type: oneOf([...webhookEventTypes, webhookTestType]),
  agent: nullable(Type.String()),
  call: nullable(Type.String()),
  state: oneOf(deliveryStates),
  attempts: Type.Integer(),
  created_at: Timestamp,
  next_at: nullable(
    Type.String({
      ...Timestamp,
      description:
        'of a pending one: when it is attempted, or taken over from a gateway that died; null while paused',
    }),
  ),
  settled_at: NullableTimestamp,
  status: nullable(Type.Integer({ description: 'of the last attempt' })),
  error: nullable(Type.String({ description: 'of the last attempt' })),
})
export type Delivery = Static<typeof Delivery>

export const DeliveriesAsked = Type.Object({
  state: Type.Optional(anyOf(deliveryStates)),
  call: Type.Optional(Type.String({ description: 'of this call alone' })),
  after: Type.Optional(Type.String({ description: 'the `next` of the page before' })),
  limit: Type.Optional(wholeNumberText('1 to 100; default 50', { minimum: 1, maximum: 100, default: 50 })),
})
export type DeliveriesAsked = Static<typeof DeliveriesAsked>

export const DeliveryPage = Type.Object({
  deliveries: Type.Array(Delivery, { description: 'newest first, of the last seven days' }),
  next: nullable(Type.String({ description: 'null on the last page' })),
})
export type DeliveryPage = Static<typeof DeliveryPage>

export const DeliveryDetail = Type.Object({
  ...Delivery.properties,
  body: nullable(Type.String({ description: 'what is sent; null before the first attempt' })),
  tries: Type.Array(Attempt, { description: 'oldest first' }),
})
export type DeliveryDetail = Static<typeof DeliveryDetail>

export const RedeliverFailed = Type.Object({
  since: Type.Optional(Type.String({ description: 'events from then on; without it all that are kept' })),
})
export type RedeliverFailed = Static<typeof RedeliverFailed>

export const Redelivered = Type.Object({
  deliveries: Type.Integer({ description: 'how many are attempted again' }),
})
export type Redelivered = Static<typeof Redelivered>

export const TestedWebhook = Type.Object({
  event: Type.String({ description: 'its delivery is listed with the others' }),
})
export type TestedWebhook = Static<typeof TestedWebhook>

export const WebhookEventList = Type.Object({
  types: Type.Array(
    Type.Object({
      type: Type.String(),
      summary: Type.String(),
      data: Type.Unsafe<object>({
        type: 'object',
        additionalProperties: true,
        description: 'the JSON Schema of `data`',
      }),
    }),
  ),
})
export type WebhookEventList = Static<typeof WebhookEventList>

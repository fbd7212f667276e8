import { Type, type Static, type TSchema } from 'typebox'
import { EnvironmentName } from './scope-schemas.ts'
import { CallSummary, Session } from './sessions.ts'
import { nullable, oneOf, Timestamp } from './shapes.ts'
import { webhookEventTypes, webhookTestType, type WebhookEventType } from './webhook-names.ts'

const { call, agent, channel, direction, from, to, contact, started_at } = Session.properties
const { turns, tools, errors, usage, callbacks, metadata } = CallSummary.properties

const callFields = { call, agent, channel, direction, from, to, contact, started_at, metadata }
const CallBegun = Type.Object(callFields)

const recordingFields = {
  bytes: Type.Integer(),
  duration_ms: Type.Integer(),
  url: Type.String({ description: 'read it with a key that opens `calls`' }),
}

const CallEnded = Type.Object({
  ...callFields,
  ended_at: Type.Number({ description: 'epoch seconds' }),
  duration_s: Type.Number(),
  reason: nullable(Type.String({ description: 'why it ended' })),
  summary: Type.Object({
    turns,
    tools,
    errors,
    usage,
    callbacks,
    truncated: Type.Boolean({
      description: 'the lists are left out because they are too long: read GET /v1/calls/{call}/state',
    }),
  }),
  recording: nullable(Type.Object(recordingFields)),
})

const CallbackRequested = Type.Object({
  call,
  number: nullable(Type.String()),
  when: nullable(Type.String({ description: "in the caller's words" })),
  note: nullable(Type.String()),
  via: nullable(Type.String({ description: '`agent`, or `overflow` if no worker was free' })),
  contact,
})

const messageFields = {
  call,
  contact,
  number: nullable(Type.String({ description: "the org's number" })),
  message_id: nullable(Type.String()),
  text: nullable(Type.String()),
}
const MessageReceived = Type.Object({
  ...messageFields,
  name: nullable(Type.String({ description: 'as the contact calls themselves' })),
  form: nullable(Type.String({ description: 'such as `text` or `audio`' })),
})
const MessageReported = Type.Object({
  ...messageFields,
  part: Type.Integer({ description: 'a long message is sent in parts, counted from 0' }),
  platform_id: nullable(Type.String({ description: "the messaging platform's own id of the part" })),
  error: nullable(
    Type.Object({
      code: nullable(Type.Integer({ description: "the messaging platform's own" })),
      detail: Type.String(),
    }),
  ),
})

const NumberChanged = Type.Object({
  number: Type.String(),
  agent: nullable(Type.String()),
  changes: Type.Record(Type.String(), Type.Unknown(), {
    description: 'what changed; a changed field is `{before, after}`',
  }),
})

const Tested = Type.Object({ note: Type.String() })

/** What each event has as its `data`. */
export const webhookEventData: Readonly<Record<WebhookEventType | typeof webhookTestType, TSchema>> = {
  'call.dialing': CallBegun,
  'call.started': CallBegun,
  'call.ended': CallEnded,
  'recording.stored': Type.Object({ call, ...recordingFields }),
  'callback.requested': CallbackRequested,
  'message.received': MessageReceived,
  'message.sent': MessageReported,
  'message.delivered': MessageReported,
  'message.read': MessageReported,
  'message.failed': MessageReported,
  'number.routed': NumberChanged,
  'number.bought': NumberChanged,
  'number.moved': NumberChanged,
  'number.approved': NumberChanged,
  'number.fallbacks_set': NumberChanged,
  'number.released': NumberChanged,
  [webhookTestType]: Tested,
}

/** The body of every request; its id is the header `webhook-id`. */
export const WebhookEvent = Type.Object({
  type: oneOf([...webhookEventTypes, webhookTestType]),
  timestamp: Type.String({ ...Timestamp, description: 'when it happened' }),
  env: EnvironmentName,
  agent: nullable(Type.String()),
  call: nullable(Type.String()),
  data: Type.Unknown({ description: 'by type: GET /v1/webhooks/event-types has the schemas' }),
})
export type WebhookEvent = Static<typeof WebhookEvent>

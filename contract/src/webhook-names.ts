// Names only: svc and the console load this page without the schemas.

/** Every event that can be sent to an org's endpoints, with what it says. */
export const webhookEventSummaries = {
  'call.dialing': 'a number is being dialled',
  'call.started': 'a call, a chat or a conversation on the messaging channel began',
  'call.ended': 'a call ended: why, its transcript and its recording',
  'recording.stored': 'the recording of a call can be read',
  'callback.requested': 'a caller is to be called back',
  'message.received': 'a contact wrote on the messaging channel',
  'message.sent': 'the messaging platform took a message',
  'message.delivered': 'a message reached the contact',
  'message.read': 'the contact read a message',
  'message.failed': 'a message could not be sent or delivered',
  'number.routed': 'a number leads to an agent, or to another one',
  'number.bought': 'a number was bought',
  'number.moved': 'a number moved to this environment',
  'number.approved': 'the operator approved a number',
  'number.fallbacks_set': 'the fallback accounts of a number changed',
  'number.released': 'a number was released',
} as const
export type WebhookEventType = keyof typeof webhookEventSummaries
export const webhookEventTypes = Object.keys(webhookEventSummaries) as WebhookEventType[]

/** Sent on request alone, to one endpoint. */
export const webhookTestType = 'webhook.test'

/** The most endpoints of an org in one environment. */
export const mostWebhooks = 20
/** What is sent is never longer; lists of a call that would be are left out. */
export const longestWebhookBodyBytes = 256 * 1024

export const webhookStates = ['active', 'failing', 'paused'] as const
export type WebhookState = (typeof webhookStates)[number]

export const webhookPauses = ['person', 'failing'] as const

export const deliveryStates = ['pending', 'delivered', 'failed'] as const
export type DeliveryState = (typeof deliveryStates)[number]

import { webhookEventData } from '@switchroom/contract/webhook-events'
import { webhookEventSummaries, webhookEventTypes } from '@switchroom/contract/webhook-names'
import type { WebhookEventList } from '@switchroom/contract/webhooks'

export const listEventTypes = (): WebhookEventList => ({
  types: webhookEventTypes.map((type) => ({
    type,
    summary: webhookEventSummaries[type],
    data: webhookEventData[type],
  })),
})

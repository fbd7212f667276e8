import type { AgentsRoom } from '../agents/room.ts'
import type { CallsRoom } from '../calls/room.ts'
import type { Infrastructure } from '../database/room.ts'
import type { HttpRoom } from '../http/room.ts'
import type { MailRoom } from '../mail/room.ts'
import type { PeopleRoom } from '../people/room.ts'
import { DeliveryAttempts } from './deliveries/delivery-attempts.ts'
import { DeliveryTasks } from './deliveries/delivery-tasks.ts'
import { WebhookDeliveries } from './deliveries/deliveries.ts'
import { WebhookEndpoints } from './endpoints/endpoints.ts'
import { pauseLetters } from './endpoints/pause-letters.ts'
import { Payloads } from './events/payloads.ts'

/** An org's own endpoints, which its events are sent to. What contacts write comes in by `messaging/webhook`. */
export function makeWebhooks(
  parts: Infrastructure & HttpRoom & MailRoom & PeopleRoom & AgentsRoom & CallsRoom,
) {
  const { settings, dueChecks, logger } = parts
  const { baseUrl, privateHosts } = settings
  const webhookEndpoints = new WebhookEndpoints({
    ...parts,
    privateHosts,
    tellPaused: pauseLetters({ ...parts, baseUrl }),
  })
  const webhookDeliveries = new WebhookDeliveries({ ...parts, endpoints: webhookEndpoints })
  const attempts = new DeliveryAttempts({
    ...parts,
    endpoints: webhookEndpoints,
    payloads: new Payloads({ ...parts, baseUrl }),
    gateway: parts.runningGateways.id,
  })
  const webhookTasks = new DeliveryTasks(attempts, dueChecks, logger)
  return { webhookEndpoints, webhookDeliveries, webhookTasks }
}

import type { Reading } from '@switchroom/process/meters'
import type { Database } from '../../database/database.ts'
import type { GatewayMeters } from '../../database/room.ts'
import { secondMs, type Clock } from '../../foundation/clock.ts'
import * as store from './queues.store.ts'

/** How long the queues in the database are, counted in one statement whenever the metrics are read. */
export function observeQueues(meters: GatewayMeters, database: Database, clock: Clock) {
  let counting: Promise<store.QueueCounts | undefined> | undefined
  // both metrics are read at the same moment
  const counted = () =>
    (counting ??= store.countQueues(database).finally(() => {
      counting = undefined
    }))
  const overdueS = (since: string | null) =>
    since === null ? 0 : Math.max(0, (clock.now().getTime() - Date.parse(since)) / secondMs)

  meters.gauge('switchroom_queue_length', async () => {
    const counts = await counted()
    if (!counts) return []
    const queues = ['letters', 'voice_notes', 'waiting_messages', 'webhooks'] as const
    return queues.map((queue): Reading => [counts[queue], queue])
  })
  meters.gauge('switchroom_queue_overdue_seconds', async () => {
    const counts = await counted()
    if (!counts) return []
    return [
      [overdueS(counts.letters_due_at), 'letters'],
      [overdueS(counts.oldest_message_at), 'waiting_messages'],
      [overdueS(counts.webhooks_due_at), 'webhooks'],
    ]
  })
}

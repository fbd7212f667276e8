import { statement, type Queryable } from '../../database/database.ts'

export interface QueueCounts {
  letters: number
  letters_due_at: string | null
  voice_notes: number
  waiting_messages: number
  oldest_message_at: string | null
  webhooks: number
  webhooks_due_at: string | null
}

const count = statement<QueueCounts>(`
  select
    (select count(*) from letters) as letters,
    (select min(due_at) from letters) as letters_due_at,
    (select count(*) from untranscribed_messages) as voice_notes,
    (select count(*) from waiting_messages) as waiting_messages,
    (select min(sent_at) from waiting_messages) as oldest_message_at,
    (select count(*) from webhook_deliveries where state = 'pending') as webhooks,
    (
      select d.due_at from webhook_deliveries d
      where d.state = 'pending' and d.due_at < 'infinity' and not exists (
        select from webhook_deliveries e
        where e.endpoint = d.endpoint and e.chain = d.chain and e.state = 'pending'
          and (e.place, e.ordinal) < (d.place, d.ordinal)
      )
      order by d.due_at limit 1
    ) as webhooks_due_at`)

export const countQueues = (database: Queryable) => database.row(count)

import { statement, type Queryable } from '../../database/database.ts'

export interface QueueCounts {
  letters: number
  letters_due_at: string | null
  voice_notes: number
  waiting_messages: number
  oldest_message_at: string | null
}

const count = statement<QueueCounts>(`
  select
    (select count(*) from letters) as letters,
    (select min(due_at) from letters) as letters_due_at,
    (select count(*) from untranscribed_messages) as voice_notes,
    (select count(*) from waiting_messages) as waiting_messages,
    (select min(sent_at) from waiting_messages) as oldest_message_at`)

export const countQueues = (database: Queryable) => database.row(count)

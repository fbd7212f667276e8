import { checkOf, type Check } from '../../database/due-checks.ts'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import { isOtherAlive, type LiveGateways } from '../../database/gateway-liveness.ts'
import type { Addressed, Received } from '../platform/received.ts'

/** One contact writing with one number. */
export type ConversationKey = Pick<Addressed, 'org' | 'env' | 'number' | 'contact'>

const ofConversation = 'org = $1 and env = $2 and number = $3 and contact = $4'

// The gateway that works on the conversation gets the message too, so that one works on it.
const insert = statement(`
  insert into untranscribed_messages (org, env, number, contact, message_id, media_id, message, gateway)
  values ($1, $2, $3, $4, $5, $6, $7, coalesce(
    (select gateway from untranscribed_messages where ${ofConversation} order by ordinal limit 1), $8
  ))`)

export const insertMessage = (
  tx: Transaction,
  message: Received,
  mediaId: string | null,
  gateway: string,
) => {
  const { org, env, number, contact, messageId, ...rest } = message
  return tx.rows(insert, org, env, number, contact, messageId, mediaId, JSON.stringify(rest), gateway)
}

const any = statement<{ waits: boolean }>(`
  select exists (select from untranscribed_messages where ${ofConversation}) as waits`)

export const isAny = async (tx: Transaction, { org, env, number, contact }: ConversationKey) =>
  (await tx.row(any, org, env, number, contact))?.waits === true

interface HeadRow {
  ordinal: number
  message_id: string
  media_id: string | null
  attempts: number
  retry_at: string | null
  message: Omit<Received, keyof ConversationKey | 'messageId' | 'sentAt'> & { sentAt: string }
}

export interface Head extends Pick<HeadRow, 'ordinal' | 'attempts' | 'retry_at'> {
  mediaId: string | null
  received: Received
}

const claim = statement<HeadRow>(`
  update untranscribed_messages set gateway = $5 where ordinal = (
    select ordinal from untranscribed_messages where ${ofConversation} order by ordinal limit 1
  ) and (gateway = $5 or not ${isOtherAlive('gateway', '$6')})
  returning ordinal, message_id, media_id, attempts, retry_at, message`)

/** The oldest of a conversation; undefined if there is none, or if another gateway works on it. */
export async function claimHead(
  database: Queryable,
  key: ConversationKey,
  { own, since }: LiveGateways,
): Promise<Head | undefined> {
  const { org, env, number, contact } = key
  const row = await database.row(claim, org, env, number, contact, own, since)
  if (!row) return undefined
  const { ordinal, message_id, media_id, attempts, retry_at, message } = row
  const sentAt = new Date(message.sentAt)
  const received = { ...message, org, env, number, contact, messageId: message_id, sentAt }
  return { ordinal, attempts, retry_at, mediaId: media_id, received }
}

const retry = statement(`
  update untranscribed_messages set attempts = attempts + 1, retry_at = $2 where ordinal = $1`)

export const retryAt = (database: Queryable, ordinal: number, at: Date) => database.rows(retry, ordinal, at)

const remove = statement<{ ordinal: number }>(`
  delete from untranscribed_messages where ordinal = $1 and gateway = $2 returning ordinal`)

/** Undefined if another gateway took it over, or if it was erased. */
export const removeMessage = (tx: Transaction, ordinal: number, gateway: string) =>
  tx.row(remove, ordinal, gateway)

const left = statement<ConversationKey>(`
  select distinct org, env, number, contact from untranscribed_messages
  where gateway = $1 or not ${isOtherAlive('gateway')}`)

/** Conversations that this gateway works on, or one that is gone. */
export const listOwn = (database: Queryable, { own, since }: LiveGateways) => database.rows(left, own, since)

export const ownCheck = ({ own, since }: LiveGateways): Check => checkOf(left, own, since)

import type { Environment } from '@switchroom/contract/scopes'
import { checkOf, type Check } from '../../database/due-checks.ts'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import { liveRegistrations, type LiveGateways } from '../../database/gateway-liveness.ts'
import type { Received } from '../platform/received.ts'

/** An agent whose messages wait until an app holds it. */
export interface WaitedFor {
  org: string
  env: Environment
  agent: string
}

const insert = statement(`
  insert into waiting_messages (org, env, agent, message_id, number, contact, sent_at, message)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`)

/** While the agent's log is locked, so that they wait in the order of their entries. */
export const insertWaiting = (tx: Transaction, message: Received) => {
  const { org, env, agent, messageId, number, contact, sentAt, ...rest } = message
  return tx.rows(insert, org, env, agent, messageId, number, contact, sentAt, JSON.stringify(rest))
}

const behind = statement<{ waits: boolean }>(`
  select exists (
    select from waiting_messages where org = $1 and contact = $2 and env = $3 and agent = $4 and number = $5
  ) as waits`)

/** Whether an older one of the same conversation waits. */
export const isAnyWaiting = async (tx: Transaction, { org, contact, env, agent, number }: Received) =>
  (await tx.row(behind, org, contact, env, agent, number))?.waits === true

interface WaitingRow {
  message_id: string
  number: string
  contact: string
  sent_at: string
  message: Pick<Received, 'name' | 'type' | 'text' | 'phoneNumberId' | 'reply' | 'failure'>
}

const take = statement<WaitingRow>(`
  delete from waiting_messages where (org, message_id) in (
    select org, message_id from waiting_messages where org = $1 and env = $2 and agent = $3
    order by ordinal limit 1
  )
  returning message_id, number, contact, sent_at, message`)

/** The oldest, off the queue; undefined if another gateway takes it, which then takes the rest too. */
export async function takeOldest(tx: Transaction, agent: WaitedFor): Promise<Received | undefined> {
  const row = await tx.row(take, agent.org, agent.env, agent.agent)
  if (!row) return undefined
  const { message_id, number, contact, sent_at, message } = row
  return { ...agent, ...message, number, contact, messageId: message_id, sentAt: new Date(sent_at) }
}

const queues = statement<WaitedFor>(`
  select distinct w.org, w.env, w.agent from waiting_messages w
  where exists (
    select from ${liveRegistrations()}
    where r.org = w.org and r.env = w.env and r.agent = w.agent and r.holder = ''
  )`)

export const takeableCheck = ({ own, since }: LiveGateways): Check => checkOf(queues, own, since)

/** Agents that an app holds and messages wait for. */
export const listTakeable = (database: Queryable, { own, since }: LiveGateways) =>
  database.rows(queues, own, since)

const drop = statement<{ message_id: string }>(`
  delete from waiting_messages where sent_at <= $1 returning message_id`)

export const dropOlder = (database: Queryable, than: Date) => database.rows(drop, than)

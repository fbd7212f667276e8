import { ofLog } from '../../calls/log/months.ts'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import type { ThreadAgent } from './threads.store.ts'

export interface NewestCall {
  id: string
  channel: string
}

const newest = statement<NewestCall>(`
  select id, channel from calls where org = $1 and env = $2 and agent = $3 and contact = $4
  order by ordinal desc limit 1`)

/** What the contact did last with the agent. */
export const findNewest = (database: Queryable, { org, env, agent }: ThreadAgent, contact: string) =>
  database.row(newest, org, env, agent, contact)

export interface ThreadState {
  /** When the contact last wrote to the number; null if never. */
  wrote_at: string | null
  /** When the last turn of the call was, in epoch seconds. */
  active_at: number
}

const state = statement<ThreadState>(`
  select v.wrote_at, coalesce(
    (
      select ts from entries where ${ofLog('c.id')} and type in ('user.message', 'agent.message')
      order by seq desc limit 1
    ),
    extract(epoch from c.opened_at)::float8
  ) as active_at
  from calls c
  join conversations v on v.org = c.org and v.env = c.env and v.number = c.called and v.contact = c.contact
  where c.id = $1`)

/** Of a conversation whose call's log is locked: no message can be put behind it meanwhile. */
export const readThreadState = (tx: Transaction, call: string) => tx.row(state, call)

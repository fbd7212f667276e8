import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable, type Transaction } from '../database/database.ts'

const insert = statement(`insert into chat_tokens (digest, call) values ($1, $2)`)

export const insertToken = (tx: Transaction, digest: Buffer, call: string) => tx.rows(insert, digest, call)

/** The chat that a token opens. */
export interface OpenedChat {
  call: string
  org: string
  slug: string
  env: Environment
  agent: string
}

const find = statement<OpenedChat>(`
  select t.call, c.org, o.slug, c.env, c.agent
  from chat_tokens t join calls c on c.id = t.call join orgs o on o.id = c.org
  where t.digest = $1`)

export const findChat = (database: Queryable, digest: Buffer) => database.row(find, digest)

// Call by call: joined, PostgreSQL would read all calls that ever ended.
const forgetEnded = statement(`
  delete from chat_tokens t where (select c.ended_at from calls c where c.id = t.call) <= $1`)

export const deleteEnded = (database: Queryable, endedBefore: Date) => database.rows(forgetEnded, endedBefore)

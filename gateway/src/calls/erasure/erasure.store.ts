import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import type { LogRef } from '../log/entries.ts'

/** The part of an org's data that a caller may erase. */
export interface Reach {
  org: string
  envs: readonly Environment[]
  /** Null for every agent. */
  agents: readonly string[] | null
}

const ofContact = statement<{ id: string }>(`
  select id from calls
  where org = $1 and env = any($3::text[]) and ($4::text[] is null or agent = any($4)) and (
    contact = $2
    or (direction = 'inbound' and caller collate "C" = $2)
    or (direction = 'outbound' and called collate "C" = $2)
  )
  limit $5`)

/** The contact's calls that are not erased yet. */
export const findCalls = (
  database: Queryable,
  { org, envs, agents }: Reach,
  contact: string,
  limit: number,
) => database.rows(ofContact, org, contact, envs, agents, limit)

const lock = statement<LogRef & { sealed: boolean }>(`
  select id, org, env, agent, call, sealed from logs where id = any($1::text[]) order by id collate "C" for update`)

/** In the order of all writers, so that no two deadlock. */
export const lockLogs = (tx: Transaction, calls: readonly string[]) => tx.rows(lock, calls)

const allow = statement(`select set_config('switchroom.erasing', 'on', true)`)

/** For this transaction only. */
export const allowErasing = (tx: Transaction) => tx.rows(allow)

// In every partition: also what no reader can reach any more and is still to be dropped.
const erase = statement(`delete from entries where log = any($1::text[]) and type <> all($2::text[])`)

export const eraseEntriesBut = (tx: Transaction, calls: readonly string[], kept: readonly string[]) =>
  tx.rows(erase, calls, kept)

const blank = statement(`
  update calls set erased = true, contact = null, metadata = '{}', extension = null, line_transcript = '[]',
    caller = case when direction = 'outbound' then caller end,
    called = case when direction = 'inbound' then called end
  where id = any($1::text[])`)

/** Records stay and count, without the contact. */
export const blankRecords = (tx: Transaction, calls: readonly string[]) => tx.rows(blank, calls)

const unprepare = statement(`update driven_calls set prepared = '{}' where call = any($1::text[])`)

/** The apps' preparations of these calls. */
export const blankPrepared = (tx: Transaction, calls: readonly string[]) => tx.rows(unprepare, calls)

const eraseAsked = statement(`
  delete from entries
  where log = any($1::text[]) and type = 'callback.requested' and entry::json -> 'data' ->> 'number' = $2`)

/** Callbacks to the contact's number that another contact requested. */
export const eraseCallbacksTo = (tx: Transaction, calls: readonly string[], number: string) =>
  tx.rows(eraseAsked, calls, number)

const remove = statement<{ id: string }>(`
  delete from memories
  where org = $1 and contact = $2 and env = any($3::text[]) and ($4::text[] is null or agent = any($4))
  returning id`)

export const deleteFacts = (tx: Transaction, { org, envs, agents }: Reach, contact: string) =>
  tx.rows(remove, org, contact, envs, agents)

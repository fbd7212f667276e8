import type { Reach } from '../../calls/erasure/erasure.ts'
import { ofLog } from '../../calls/log/months.ts'
import type { CallState } from '@switchroom/contract/log'
import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import type { Addressed, Received } from '../platform/received.ts'
import { foldingLock } from '../threads/folding-lock.ts'

/** One contact writing with one number. */
export type ConversationKey = Pick<Addressed, 'org' | 'env' | 'number' | 'contact'>

const lock = statement<{ call: string | null }>(`
  insert into conversations as c (org, env, number, contact, name, phone_number_id, wrote_at)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (org, env, number, contact) do update
  set name = coalesce(excluded.name, c.name), phone_number_id = excluded.phone_number_id,
    wrote_at = greatest(c.wrote_at, excluded.wrote_at)
  returning call`)

/** Who writes with which number, and from where answers go out. */
export type ConversationParties = Addressed & Pick<Received, 'name'>

/** Locked to the end of the transaction, so that messages of one contact are put one after the other. */
export const lockConversation = async (
  tx: Transaction,
  parties: ConversationParties,
  wroteAt: Date | null,
) => {
  const { org, env, number, contact, name, phoneNumberId } = parties
  return (await tx.row(lock, org, env, number, contact, name, phoneNumberId, wroteAt))?.call ?? null
}

const set = statement(`
  update conversations set call = $5 where org = $1 and env = $2 and number = $3 and contact = $4`)

export const setCall = (tx: Transaction, { org, env, number, contact }: ConversationKey, call: string) =>
  tx.rows(set, org, env, number, contact, call)

const callState = statement<{ state: CallState; active_at: number }>(`
  select c.state, coalesce(
    (
      select e.ts from entries e
      where ${ofLog('c.id', 'e')} and e.type in ('user.message', 'agent.message') order by e.seq desc limit 1
    ),
    extract(epoch from c.opened_at)::float8
  ) as active_at
  from calls c where c.id = $1`)

/** Of a call whose log is locked: whether a person took it over, and when the last turn was. */
export const readCallState = (tx: Transaction, call: string) => tx.row(callState, call)

export interface OpenConversation {
  id: string
  org: string
  env: Environment
  agent: string
  holder: string
  state: CallState
  /** Of the call's log. */
  seq: number
}

const open = statement<OpenConversation>(`
  select c.id, c.org, c.env, c.agent, c.holder, c.state, l.seq
  from conversations v join calls c on c.id = v.call join logs l on l.id = c.id
  where v.org = $1 and v.env = $2 and v.number = $3 and v.contact = $4 and not l.sealed`)

export const findOpen = (database: Queryable, { org, env, number, contact }: ConversationKey) =>
  database.row(open, org, env, number, contact)

const deleteWaiting = statement<{ contact: string }>(`
  delete from waiting_messages
  where org = $1 and contact = $2 and env = any($3::text[]) and ($4::text[] is null or agent = any($4))
  returning contact`)

const deleteUntranscribed = statement<{ contact: string }>(`
  delete from untranscribed_messages u
  where u.org = $1 and u.contact = $2 and u.env = any($3::text[])
    and ($4::text[] is null or u.message ->> 'agent' = any($4))
  returning u.contact`)

// What is folded into threads now is folded in before they are deleted.
const lockFolding = statement(`select pg_advisory_xact_lock(${foldingLock})`)

const ofReach = `org = $1 and contact = $2 and env = any($3::text[]) and ($4::text[] is null or agent = any($4))`

const deleteRest = statement<{ contact: string }>(`
  with read as (
    delete from thread_reads where ${ofReach}
  ), touched as (
    delete from thread_touches where ${ofReach}
  ), listed as (
    delete from threads where ${ofReach}
  )
  delete from conversations c
  where c.org = $1 and c.contact = $2 and c.env = any($3::text[]) and ($4::text[] is null or coalesce(
    (select agent from calls where id = c.call),
    (select agent from numbers n where n.number = c.number and n.org = c.org)
  ) = any($4))
  returning c.contact`)

/** In the order in which a message's receiver locks them; answers how many were deleted. */
export async function deleteConversations(tx: Transaction, { org, envs, agents }: Reach, contact: string) {
  await tx.rows(lockFolding)
  return (
    (await tx.rows(deleteUntranscribed, org, contact, envs, agents)).length +
    (await tx.rows(deleteWaiting, org, contact, envs, agents)).length +
    (await tx.rows(deleteRest, org, contact, envs, agents)).length
  )
}

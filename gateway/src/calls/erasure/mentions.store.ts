import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Transaction } from '../../database/database.ts'
import { noMonth } from '../log/months.ts'
import type { Reach } from './erasure.store.ts'

const ofPeople = `entries.type in ('callback.requested', 'message.waiting', 'message.taken')`

/** Whether an entry is about the contact ($2). */
const isOfContact = `$2 in (
    entries.entry::json -> 'data' ->> 'contact', entries.entry::json -> 'data' ->> 'number',
    entries.entry::json -> 'data' ->> 'from'
  )`

/** Whether an agent's own log is in reach: $1 the org, $3 its environments, $4 its agents. */
const isInReach = `logs.org = $1 and logs.env = any($3::text[]) and ($4::text[] is null or logs.agent = any($4))
  and logs.call is null`

// What is named is a number that something else may have as well, so that the entry itself is asked.
export const eraseNamingCalls = statement(`
  with named as materialized (
    select distinct log, seq from log_mentions
    where named = any(array(select mention_of($1, 'call', call) from unnest($2::text[]) as call))
  )
  delete from entries using named, logs
  where entries.log = named.log and entries.month = ${noMonth} and entries.seq = named.seq and logs.id = named.log
    and logs.org = $1 and logs.call is null and ${ofPeople}
    and entries.entry::json ->> 'call' = any($2::text[])`)

/** Entries about these calls in agents' own logs. */
export const eraseOfCalls = (tx: Transaction, org: string, calls: readonly string[]) =>
  tx.rows(eraseNamingCalls, org, calls)

export const eraseNamingContact = statement<{ call: string }>(`
  with named as materialized (select log, seq from log_mentions where named = mention_of($1, 'person', $2))
  delete from entries using named, logs
  where entries.log = named.log and entries.month = ${noMonth} and entries.seq = named.seq and logs.id = named.log
    and ${isInReach} and ${ofPeople} and ${isOfContact}
  returning entries.entry::json ->> 'call' as call`)

/** Entries about the contact in agents' own logs; answers the calls they name. */
export const eraseOfContact = (tx: Transaction, { org, envs, agents }: Reach, contact: string) =>
  tx.rows(eraseNamingContact, org, contact, envs, agents)

const parseForCalls = statement(`
  delete from entries using logs
  where logs.org = $1 and logs.call is null and entries.log = logs.id and entries.month = ${noMonth} and ${ofPeople}
    and entries.entry::json ->> 'call' = any($2::text[])`)

/** The same while entries from before the table are not filled in. */
export const eraseOfCallsByParsing = (tx: Transaction, org: string, calls: readonly string[]) =>
  tx.rows(parseForCalls, org, calls)

const parseForContact = statement<{ call: string }>(`
  delete from entries using logs
  where ${isInReach} and entries.log = logs.id and entries.month = ${noMonth} and ${ofPeople} and ${isOfContact}
  returning entries.entry::json ->> 'call' as call`)

/** The same while entries from before the table are not filled in. */
export const eraseOfContactByParsing = (tx: Transaction, { org, envs, agents }: Reach, contact: string) =>
  tx.rows(parseForContact, org, contact, envs, agents)

/** Names an agent, and its own log. */
export interface AgentLog {
  org: string
  env: Environment
  agent: string
}

const next = statement<AgentLog & { id: string }>(`
  select id, org, env, agent from logs
  cross join lateral (
    select from entries where log = logs.id and month = ${noMonth} and ${ofPeople} limit 1
  ) as about_people
  where call is null and (org, env, agent) > ($1, $2, $3)
  order by org, env, agent limit 1`)

/** The next of the agents' own logs that has entries about people. */
export const nextLog = (tx: Transaction, { org, env, agent }: AgentLog | { org: ''; env: ''; agent: '' }) =>
  tx.row(next, org, env, agent)

// An entry that is erased meanwhile is waited for or waits, so that nothing is kept of it.
const fill = statement<{ ts: number; seq: number }>(`
  with found as materialized (
    select log, ts, seq, entry from entries
    where log = $1 and month = ${noMonth} and ${ofPeople} and (ts, seq) > ($3::float8, $4::int)
    order by ts, seq limit $5 for key share
  ), kept as (
    insert into log_mentions (log, seq, named)
    select log, seq, named from found cross join lateral mentions_in($2, entry) as named
    on conflict do nothing
  )
  select ts, seq from found order by ts desc, seq desc limit 1`)

/** Fills in some entries of a log, the first after that place; answers the last one, undefined if there is none. */
export const fillMentions = (
  tx: Transaction,
  { log, org, after }: { log: string; org: string; after: { ts: number; seq: number } },
  limit: number,
) => tx.row(fill, log, org, after.ts, after.seq, limit)

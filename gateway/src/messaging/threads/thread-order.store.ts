import { ofLog } from '../../calls/log/months.ts'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import { foldingLock } from './folding-lock.ts'
import { epoch, isTurn, ofAgent, type ThreadAgent } from './threads.store.ts'

/** A contact of the agent, and when something last happened between them. */
export interface ListedContact {
  contact: string
  at: number
}

/** Which of an agent's contacts, the latest first. */
export interface ContactsAsked {
  /** What waits since earlier is too old. */
  waitingSince: Date
  /** The last one of the page before. */
  after: ListedContact
  limit: number | null
}

// What is not in the thread's row yet, or goes again: touches that are not folded in, and messages that wait.
const recent = `
  select contact, max(at) as at from (
    select contact, at from thread_touches where ${ofAgent}
    union all
    select contact, ${epoch('sent_at')} from waiting_messages where ${ofAgent} and sent_at > $4
  ) happened group by contact`

const isAfter = (at: string) =>
  `(${at} <= $5::float8 and (${at} < $5::float8 or contact collate "C" > $6 collate "C"))`

const page = statement<ListedContact>(`
  with recent as materialized (${recent})
  select contact, at from (
    (
      select contact, last_at as at from threads t
      where ${ofAgent} and ${isAfter('last_at')}
        and not exists (select from recent where recent.contact = t.contact and recent.at > t.last_at)
      order by last_at desc, contact collate "C" limit $7
    )
    union all
    select contact, at from recent
    where ${isAfter('at')} and not exists (
      select from threads t where ${ofAgent} and t.contact = recent.contact and t.last_at >= recent.at
    )
  ) listed order by at desc, contact collate "C" limit $7`)

export const listContacts = (
  database: Queryable,
  { org, env, agent }: ThreadAgent,
  { waitingSince, after, limit }: ContactsAsked,
) => database.rows(page, org, env, agent, waitingSince, after.at, after.contact, limit)

// A call that ended before the contact's newest began holds none of their last words, and is not looked into.
const fromCalls = statement<ListedContact>(`
  with own as (
    select id, contact, opened_at, ended_at, max(opened_at) over (partition by contact) as newest
    from calls where ${ofAgent} and contact is not null
  ), heard as (
    select contact, greatest(${epoch('opened_at')}, (
      select ts from entries
      where (ended_at is null or ended_at >= newest) and ${ofLog('own.id')} and ${isTurn}
      order by seq desc limit 1
    )) as at
    from own
    union all
    select contact, ${epoch('sent_at')} from waiting_messages where ${ofAgent} and sent_at > $4
  ), listed as (
    select contact, max(at) as at from heard group by contact
  )
  select contact, at from listed where ${isAfter('at')} order by at desc, contact collate "C" limit $7`)

/** The same, for as long as not every thread has its row. */
export const listContactsOfCalls = (
  database: Queryable,
  { org, env, agent }: ThreadAgent,
  { waitingSince, after, limit }: ContactsAsked,
) => database.rows(fromCalls, org, env, agent, waitingSince, after.at, after.contact, limit)

/** Before every contact. */
export const beforeAll: ListedContact = { at: Infinity, contact: '' }

const fold = statement<{ touches: number }>(`
  with taken as materialized (
    delete from thread_touches where ctid = any(array(
      select ctid from thread_touches where (select pg_try_advisory_xact_lock(${foldingLock}))
      limit $1 for update skip locked
    ))
    returning org, env, agent, contact, at
  ), folded as (
    insert into threads (org, env, agent, contact, last_at)
    select org, env, agent, contact, max(at) from taken
    group by org, env, agent, contact order by org, env, agent, contact
    on conflict (org, env, agent, contact) do update set last_at = excluded.last_at
      where excluded.last_at > threads.last_at
  )
  select count(*)::int as touches from taken`)

/** How many were folded in; none if another gateway is at it. */
export const foldTouches = async (database: Queryable, limit: number) =>
  (await database.row(fold, limit))?.touches ?? 0

const derive = statement(`
  insert into thread_touches (org, env, agent, contact, at)
  select org, env, agent, contact, max(greatest(${epoch('opened_at')}, (
    select ts from entries where ${ofLog('calls.id')} and ${isTurn}
    order by seq desc limit 1
  )))
  from calls where id = any($1::text[]) and contact is not null
  group by org, env, agent, contact`)

/** What calls from before the table did to their threads. */
export const deriveTouches = (tx: Transaction, calls: readonly string[]) => tx.rows(derive, calls)

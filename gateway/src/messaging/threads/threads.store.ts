import type { Environment } from '@switchroom/contract/scopes'
import { mostTurns } from '@switchroom/contract/threads'
import { ofLog } from '../../calls/log/months.ts'
import { statement, type Queryable } from '../../database/database.ts'

/** The agent of the threads, in one environment of an org. */
export interface ThreadAgent {
  org: string
  env: Environment
  agent: string
}

export const epoch = (instant: string) => `date_part('epoch', ${instant})`
export const ofAgent = `org = $1 and env = $2 and agent = $3`
export const isTurn = `type in ('user.message', 'agent.message')`

/** Nearly always the agent's newest is among them. */
const fewTurns = 20

const ofContact = `${ofAgent} and contact = wanted.contact`

const calls = `
  select max(opened_at) as last_at, json_agg(json_build_object(
    'call', id, 'channel', channel, 'started_at', ${epoch('opened_at')}, 'ended_at', ${epoch('ended_at')},
    'reason', reason
  ) order by ordinal) as calls
  from calls where ${ofContact}`

/** The messaging call that is open, else the last one. */
const conversation = `
  select id, called, state from calls where ${ofContact} and channel = 'msgapp'
  order by (ended_at is null) desc, ordinal desc limit 1`

const waiting = `
  select max(sent_at) as last_at, (array_agg(number order by ordinal desc))[1] as number,
    (array_agg(message ->> 'name' order by ordinal desc))[1] as name,
    count(*) filter (where sent_at > coalesce(mark.read_at, '-infinity')) as unread,
    json_agg(json_build_object(
      'ts', ${epoch('sent_at')}, 'text', coalesce(message ->> 'text', '')
    ) order by ordinal) as messages
  from waiting_messages where ${ofContact} and sent_at > $5`

// Limited, so that PostgreSQL looks it up for each contact and does not go through all that there are.
const writer = `
  select name, wrote_at from conversations
  where org = $1 and env = $2 and contact = wanted.contact and number = case
    when conversation.state <> 'ended' then conversation.called
    else coalesce(waiting.number, conversation.called)
  end
  limit 1`

/**
 * The newest calls that hold so many of the last turns between them, and those that were still open meanwhile.
 * @param most SQL, may name columns of `calls`
 */
const callsOfLastTurns = (most: string) => `
  select id, ordinal from (
    select id, ordinal, ended_at, is_new, min(opened_at) filter (where is_new) over () as reach from (
      select id, ordinal, opened_at, ended_at,
        sum(turns) over (order by ordinal desc) - turns < ${most} as is_new
      from calls where ${ofContact}
    ) own
  ) reaching
  where is_new or ended_at is null or ended_at >= reach`

// Within a call turns are in the order of its log, even if the clock of one of its gateways was behind. One window for
// all calls of a contact: one for each call would take most of the time.
const lastTurns = (most: string) => `
  select id, type, seq, ts, row_number() over (order by at desc, ordinal desc, seq desc) as back
  from (
    select own.id, own.ordinal, turn.*, max(ts) over (partition by own.ordinal order by seq) as at
    from (${callsOfLastTurns(most)}) own cross join lateral (
      select seq, ts, type from entries where ${ofLog('own.id')} and ${isTurn} order by seq desc limit ${mostTurns}
    ) turn
  ) said
  order by back limit ${mostTurns}`

/** Of the parts that a turn was sent in: the least of them says how far it came. Older sends have no status. */
const delivery = `
  select json_build_object(
    'status', case
      when bool_or(status = 'failed') then 'failed'
      when bool_or(settled_at is null) then 'sending'
      when bool_and(status = 'read') then 'read'
      when bool_and(status in ('delivered', 'read')) then 'delivered'
      else 'sent'
    end,
    'code', (array_agg(error -> 'code') filter (where status = 'failed'))[1],
    'detail', (array_agg(error -> 'detail') filter (where status = 'failed'))[1]
  )
  from sends s where s.call = said.id and s.seq = said.seq and (s.settled_at is null or s.status is not null)
  having count(*) > 0`

/** Of the agent's newest turn, if it was sent and failed. */
const failure = `
  select json_build_object(
    'ts', ${epoch('coalesce(settled_at, attempted_at)')}, 'code', error -> 'code', 'detail', error -> 'detail'
  ) as failure
  from (
    select said.sent_in as id, said.sent_as as seq where said.sent_in is not null
    union all
    (
      select id, seq from (${lastTurns(String(mostTurns))}) older
      where said.sent_in is null and type = 'agent.message' order by back limit 1
    )
  ) newest
  join sends on sends.call = newest.id and sends.seq = newest.seq and status = 'failed' order by part limit 1`

/** The shown ones and some for the agent's newest; all that count where a member may not have read them. */
const neededTurns = `case
    when $6::text is null or ended_at < mark.read_at then greatest($7::int, ${fewTurns})
    else ${mostTurns}
  end`

/** Looked up for the turns that are shown. */
const shownEntry = `
  select entry::json from entries where back <= $7::int and ${ofLog('said.id')} and entries.seq = said.seq limit 1`

const turns = `
  select max(ts) as last_at,
    (array_agg(id order by back) filter (where type = 'agent.message'))[1] as sent_in,
    (array_agg(seq order by back) filter (where type = 'agent.message'))[1] as sent_as,
    count(*) filter (where type = 'user.message' and ts > coalesce(${epoch('mark.read_at')}, 0)) as unread,
    json_agg(json_build_object(
      'seq', seq, 'ts', ts, 'call', id,
      'who', case
        when type = 'user.message' then 'contact'
        when shown.entry #>> '{data,source}' = 'human' then 'supervisor'
        else 'agent'
      end,
      'text', coalesce(shown.entry #>> '{data,text}', ''),
      'delivery', case when type = 'agent.message' then (${delivery}) end
    ) order by back desc) filter (where back <= $7::int) as turns
  from (${lastTurns(neededTurns)}) said left join lateral (${shownEntry}) shown on true`

const threads = statement<{ thread: string }>(`
  select json_build_object(
    'contact', wanted.contact,
    'name', coalesce(talk.name, waiting.name),
    'last_at', greatest(said.last_at, ${epoch('heads.last_at')}, ${epoch('waiting.last_at')}),
    'state', case
      when conversation.state <> 'ended' then conversation.state
      when waiting.messages is not null then 'waiting'
      else coalesce(conversation.state, 'none')
    end,
    'call', case when conversation.state <> 'ended' then conversation.id end,
    'window_closes_at', ${epoch(`talk.wrote_at + interval '24 hours'`)},
    'failure', failed.failure,
    'unread', case when $6::text is not null then said.unread + waiting.unread end,
    'calls', coalesce(heads.calls, '[]'),
    'turns', coalesce(said.turns, '[]'),
    'waiting', coalesce(waiting.messages, '[]')
  )::text as thread
  from unnest($4::text[]) with ordinality as wanted (contact, place)
  left join thread_reads mark on mark.org = $1 and mark.env = $2 and mark.agent = $3
    and mark.contact = wanted.contact and mark.member = $6
  cross join lateral (${calls}) heads
  cross join lateral (${turns}) said
  cross join lateral (${waiting}) waiting
  left join lateral (${conversation}) conversation on true
  left join lateral (${failure}) failed on true
  left join lateral (${writer}) talk on true
  where heads.calls is not null or waiting.messages is not null
  order by place`)

export interface Shown {
  waitingSince: Date
  /** Whose marks count; null for a key that names no person. */
  member: string | null
  /** How many of the last turns. */
  turns: number
}

/** The threads of these contacts, each as the JSON that a reader gets. */
export const readThreads = (
  database: Queryable,
  { org, env, agent }: ThreadAgent,
  contactsAsked: readonly string[],
  { waitingSince, member, turns: most }: Shown,
) => database.rows(threads, org, env, agent, contactsAsked, waitingSince, member, most)

const known = statement(`
  select from calls where ${ofAgent} and contact = $4
  union all
  select from waiting_messages where ${ofAgent} and contact = $4 and sent_at > $5
  limit 1`)

export const isKnown = async (
  database: Queryable,
  { org, env, agent }: ThreadAgent,
  contact: string,
  waitingSince: Date,
) => (await database.row(known, org, env, agent, contact, waitingSince)) !== undefined

const mark = statement<{ read_at: number }>(`
  insert into thread_reads (org, env, agent, contact, member, read_at) values ($1, $2, $3, $4, $5, $6)
  on conflict (org, env, agent, contact, member)
    do update set read_at = greatest(thread_reads.read_at, excluded.read_at)
  returning ${epoch('read_at')} as read_at`)

/** Answers how far they have read, which may be further. */
export const markRead = (
  database: Queryable,
  { org, env, agent }: ThreadAgent,
  contact: string,
  member: string,
  readAt: Date,
) => database.row(mark, org, env, agent, contact, member, readAt)

const newest = statement<{ messageId: string; phoneNumberId: string }>(`
  select "messageId", "phoneNumberId" from (
    select e.entry::json -> 'data' ->> 'messageId' as "messageId", v.phone_number_id as "phoneNumberId", e.ts as at
    from (
      select id, org, env, called, contact from calls where ${ofAgent} and contact = $4 and channel = 'msgapp'
      order by ordinal desc limit 1
    ) c
    join conversations v on v.org = c.org and v.env = c.env and v.number = c.called and v.contact = c.contact
    cross join lateral (
      select entry, ts from entries
      where ${ofLog('c.id')} and type = 'user.message' and ts <= ${epoch('$5::timestamptz')}
      order by seq desc limit 1
    ) e
    union all
    select message_id, message ->> 'phoneNumberId', ${epoch('sent_at')} from waiting_messages
    where ${ofAgent} and contact = $4 and sent_at <= $5
  ) written where "messageId" is not null order by at desc limit 1`)

/** What the contact last wrote until then, by the platform's ids. */
export const findNewestMessage = (
  database: Queryable,
  { org, env, agent }: ThreadAgent,
  contact: string,
  until: Date,
) => database.row(newest, org, env, agent, contact, until)

import type { Client } from 'pg'
import {
  callsOfSmallOrg,
  entriesOfCall,
  largeAgent,
  largeOrg,
  smallOrg,
  type VolumeShape,
} from './volume-shape.ts'

const callTables = ['calls', 'logs', 'turn_words', 'threads', 'conversations', 'log_mentions', 'entry_months']

/** So many at once, that a statement's memory stays small. */
const callsAtOnce = 100_000
const sentences = 65_536
/** By its `seq`. */
const lastTurn = 9
const spanDays = 180

/** Words whose share of the calls is known; the others have few. */
export const words = {
  /** In every call. */
  common: 'hello',
  /** In every tenth call. */
  middling: 'invoice',
  /** In the oldest call of the small org, in a few of the large one, and in one of twenty of the others. */
  rare: 'unicorn',
  /** In one of twenty calls, but in none of the measured orgs. */
  absent: 'zeppelin',
}

const isMeasured = `org in ('${largeOrg}', '${smallOrg}')`

const monthOf = (at: string) => `to_char(${at} at time zone 'UTC', 'YYYYMM')::integer`

/** What follows the other columns of a statement, where there are months. */
interface MonthColumn {
  column: string
  value: string
}
const monthOfCall: MonthColumn = { column: ', month', value: `, ${monthOf('opened_at')}` }
const noMonth: MonthColumn = { column: '', value: '' }

/**
 * Makes the partitions of the months in which the calls were opened; answers all tables that are filled. A database of an
 * older release has fewer, and one table of entries.
 */
export async function makeCallTables(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select name from unnest($1::text[]) as name where to_regclass(name) is not null',
    [callTables],
  )
  const names = rows.map(({ name }) => name)
  if (!names.includes('entry_months')) return [...names, 'entries']
  const { rows: months } = await client.query<{ partition: string }>(`
    select 'entries_' || month as partition, add_entries_month(month) from (
      select distinct ${monthOf(`(now() - n * interval '1 day')`)} as month from generate_series(0, ${spanDays + 1}) as n
    ) spanned`)
  return [...names, ...months.map(({ partition }) => partition), 'entries_without_month']
}

/** Calls with what they said, oldest first, as they came in over half a year; of these tables, those that there are. */
export async function fillCalls(client: Client, shape: VolumeShape, tables: ReadonlySet<string>) {
  const month = tables.has('entry_months') ? monthOfCall : noMonth
  // As often as words are in a language: the most frequent in most sentences, thousands in almost none.
  await client.query(`
    create temporary table sentences as
    select s as place, (select string_agg('w' || (30000 ^ random())::int, ' ') from generate_series(1, 8 + s % 5)) as text
    from generate_series(0, ${sentences - 1}) as s`)
  await client.query('analyze sentences')
  for (let from = 0; from < shape.calls; from += callsAtOnce) {
    const to = Math.min(from + callsAtOnce, shape.calls)
    await client.query(callsFrom(from + 1, to, shape))
    await client.query(`
      insert into logs (id, org, env, agent, call, seq, sealed${month.column})
      select id, org, env, agent, id, ${entriesOfCall}, ended_at is not null${month.value} from calls
      where ordinal between ${from + 1} and ${to}`)
    await client.query(entriesFrom(from + 1, to, month))
    if (tables.has('turn_words')) await client.query(wordsFrom(from + 1, to))
  }
  await client.query(`select setval('calls_ordinal_seq', ${shape.calls})`)
  if (tables.has('threads')) await client.query(threadsOfAll)
  for (const statement of ofAgents(shape, month)) await client.query(statement)
  if (tables.has('log_mentions')) await client.query(mentionsOfLargeAgent)
}

/** A few of the newest calls are open. */
const callsFrom = (from: number, to: number, { calls, orgs, agentsOfOrg, contacts }: VolumeShape) => `
  insert into calls (ordinal, id, org, agent, env, holder, channel, opened_at, ended_at, state, reason, settings,
    config_holder, config_version, canary, direction, caller, called, contact, turns)
  overriding system value
  select n, 'call_' || left(md5(n::text), 24), org, agent, 'production', '', channel, opened,
    case when is_ended then opened + interval '3 minutes' end, case when is_ended then 'ended' else 'open' end,
    case when is_ended then 'hangup' end, '[]', '', 1 + n % 2, false, 'inbound', contact,
    '+34910000001', contact, 5
  from (
    select n, org, case when org <> '${largeOrg}' then 'a' || 1 + abs(hashint8(n)) % ${agentsOfOrg}
        when n % 10 = 0 then '${largeAgent}' else 'a' || 2 + abs(hashint8(n)) % ${agentsOfOrg - 1} end as agent,
      case when n % 20000 = 0 then 'web' when n % 4 = 0 then 'msgapp' else 'phone' end as channel,
      '+346' || lpad((n / 10 % ${contacts})::text, 8, '0') as contact,
      now() - (${calls} - n) * interval '${spanDays} days' / ${calls} as opened, n < ${calls} - 200 as is_ended
    from (
      select n, case when n % 5 = 0 then '${largeOrg}'
        when n % ${Math.max(2, Math.floor(calls / callsOfSmallOrg))} = 1 then '${smallOrg}'
        else 'org_' || 3 + abs(hashint8(n)) % ${orgs - 2} end as org
      from generate_series(${from}, ${to}) as n
    ) of_org
  ) opened`

const types = `'{call.started,user.message,metrics,agent.message,metrics,user.message,agent.message,metrics,user.message,call.ended}'::text[]`

/** What every call leaves: who spoke, what it took, how it ended. */
const entriesFrom = (from: number, to: number, month: MonthColumn) => `
  insert into entries (log, seq, ts, type, entry, org${month.column})
  select id, seq, ts, type,
    '{"seq":' || seq || ',"ts":' || ts || ',"call":"' || id || '","agent":"' || agent || '","type":"' || type ||
      '","ephemeral":false,"data":' ||
      case when type in ('user.message', 'agent.message') then '{"messageId":"m_' || left(md5(id || seq), 24)
        || '","text":"' || text || case when seq <> 2 then '' else said end || '"}'
      else '{"stage":"llm","vendor":"openai","model":"gpt-4o","input":812,"output":34}' end || '}',
    case when type in ('user.message', 'agent.message') then org end${month.value}
  from (
    select id, org, agent, opened_at, seq, extract(epoch from opened_at)::float8 + seq * 3 as ts, (${types})[seq] as type,
      abs(hashint8(ordinal * ${entriesOfCall} + seq)) % ${sentences} as sentence,
      ' ${words.common}' || case when ordinal % 100 < 10 then ' ${words.middling}' else '' end
        || case when ordinal = 1 -- the small org's oldest
            or org = '${largeOrg}' and ordinal % 25000 = 0 or not ${isMeasured} and ordinal % 20 = 7
          then ' ${words.rare}' else '' end
        || case when not ${isMeasured} and ordinal % 20 = 8 then ' ${words.absent}' else '' end as said
    from calls, generate_series(1, ${entriesOfCall}) as seq
    where ordinal between ${from} and ${to}
  ) written join sentences on place = sentence`

/** As the log's trigger keeps them. */
const wordsFrom = (from: number, to: number) => `
  insert into turn_words (call, seq, words)
  select id, seq, words || seeded_mark(seed, 'agent', agent) || seeded_mark(seed, 'channel', channel)
  from calls join entries on log = id and month = ${monthOf('opened_at')} and entries.org is not null
  cross join lateral (select shelf_seed(calls.org, env, shelf_of(ordinal)) as seed offset 0) as own
  cross join lateral (select seeded_words(seed, entry::json -> 'data' ->> 'text') as words offset 0) as said
  where ordinal between ${from} and ${to}`

const threadsOfAll = `
  insert into threads (org, env, agent, contact, last_at)
  select org, env, agent, contact, max(extract(epoch from opened_at)::float8 + ${lastTurn} * 3) from calls
  group by org, env, agent, contact`

const largeAgentLog = `${largeOrg}/production/${largeAgent}`
const mentionsOfLargeAgent = `
  insert into log_mentions (log, seq, named)
  select log, seq, named from entries cross join lateral mentions_in('${largeOrg}', entry) as named
  where log = '${largeAgentLog}'`

/** The large agent's own log of callbacks, and its conversations. */
const ofAgents = ({ callbacks, contacts }: VolumeShape, month: MonthColumn) => {
  const log = largeAgentLog
  return [
    `insert into logs (id, org, env, agent, call, seq) values
       ('${log}', '${largeOrg}', 'production', '${largeAgent}', null, ${callbacks})`,
    `insert into entries (log, seq, ts, type, entry${month.column})
     select '${log}', n, ts, 'callback.requested', '{"seq":' || n || ',"ts":' || ts || ',"call":"call_'
       || left(md5((n * 10)::text), 24) || '","agent":"${largeAgent}","type":"callback.requested","ephemeral":false,'
       || '"data":{"number":"+346' || lpad((n % ${contacts})::text, 8, '0') || '","note":"call back"}}'${month.column && ', 0'}
     from (select n, extract(epoch from now())::float8 - (${callbacks} - n) * 10 as ts from generate_series(1, ${callbacks}) n) asked`,
    `insert into conversations (org, env, number, contact, name, phone_number_id, wrote_at)
     select '${largeOrg}', 'production', '+34910000001', '+346' || lpad(n::text, 8, '0'), 'Ana', '1055', now()
     from generate_series(0, ${contacts - 1}) as n`,
  ]
}

import { usualCaps } from '@switchroom/contract/orgs'
import { opaque, statement, type Queryable, type Transaction } from '../../database/database.ts'
import type { KeptEntry, LogRef } from './entries.ts'
import { monthOf, noMonth, ofLog } from './months.ts'

/** The channel on which gateways announce that a log has grown. */
export const logChannel = 'log_grew'

// The newest month that has a partition, should the current one have none.
const insert = statement(`
  insert into logs (id, org, env, agent, call, runner, most, month)
  values ($1, $2, $3, $4, $5, $6, coalesce(cap_of($2, 'entries', $7), 2147483647),
    coalesce((select max(month) from entry_months where month <= $8), ${noMonth}))
  on conflict (id) do nothing`)

/** An agent's own log has no month, for it does not end. */
export const insertLog = (database: Queryable, log: LogRef, runner: string | null, now: Date) =>
  database.rows(
    insert,
    log.id,
    log.org,
    log.env,
    log.agent,
    log.call,
    runner,
    usualCaps.entries,
    log.call === null ? noMonth : monthOf(now),
  )

/** Entries for several logs as arrays, which PostgreSQL unnests. */
export interface Columns {
  logs: string[]
  counts: number[]
  /** The gateway that must run the log's call for the write to be accepted; null if any writer may. */
  runners: (string | null)[]
  /** The number of the worker's batch, which must be the next; null for other writes. */
  batches: (number | null)[]
  /** How far past its cap the log may grow. */
  rooms: number[]
  /** What the entries add to the counts of the log's call. */
  errors: number[]
  llmTimeouts: number[]
  turns: number[]
  entryLogs: string[]
  places: number[]
  stamps: number[]
  types: string[]
  /** Each entry without its `seq`, which is known only while the log is locked. */
  rests: string[]
}

export interface Grown {
  id: string
  /** Its `seq` before; null if it refused the write. */
  before: number | null
  /** Its cap, if that is why. */
  most: number | null
}

// All writers lock the rows in this order, so that no two deadlock; a call's record after its log.
const append = statement<Grown>(`
  with locked as materialized (
    select id, org, call, seq, month, runner, batch, coalesce(most, ${usualCaps.entries}) as most from logs where id = any(${opaque('$1::text[]')}) and not sealed order by id collate "C" for update
  ), wanted as materialized (
    select locked.id, locked.org, locked.call, locked.seq, locked.month, locked.most, added.count,
      coalesce(added.batch, locked.batch) as batch, added.errors, added.llm_timeouts, added.turns,
      locked.call is null or locked.seq::bigint + added.count <= locked.most::bigint + added.room as fits
    from locked join unnest(${opaque('$1::text[]')}, $2::int[], $3::text[], $4::int[], $5::int[], $11::int[], $12::int[], $13::int[])
        as added (id, count, runner, batch, room, errors, llm_timeouts, turns)
      on added.id = locked.id and (added.runner is null or added.runner = locked.runner)
        and (added.batch is null or added.batch = locked.batch + 1)
  ), grown as (
    update logs set seq = wanted.seq + wanted.count, batch = wanted.batch
    from wanted where logs.id = wanted.id and wanted.fits
    returning logs.id, wanted.org, wanted.call, wanted.month, wanted.seq as before,
      wanted.errors, wanted.llm_timeouts, wanted.turns
  ), counted as (
    update calls set errors = calls.errors + grown.errors, llm_timeouts = calls.llm_timeouts + grown.llm_timeouts,
      turns = calls.turns + grown.turns
    from grown where calls.id = grown.call and grown.errors + grown.turns > 0
  ), kept as (
    insert into entries (log, seq, ts, type, entry, org, month)
    select grown.id, grown.before + added.place, added.ts, added.type,
      '{"seq":' || (grown.before + added.place) || added.rest,
      case when added.type in ('user.message', 'agent.message') then grown.org end, grown.month
    from unnest(${opaque('$6::text[]')}, $7::int[], $8::float8[], $9::text[], $10::text[]) as added (log, place, ts, type, rest)
    join grown on grown.id = added.log
  )
  select wanted.id, grown.before, case when not wanted.fits then wanted.most end as most
  from wanted left join grown on grown.id = wanted.id`)

/** The logs that grew and those at their cap; a log that is sealed, run by another gateway or waits for another batch is left out. */
export const appendAll = (tx: Queryable, columns: Columns) =>
  tx.rows(
    append,
    columns.logs,
    columns.counts,
    columns.runners,
    columns.batches,
    columns.rooms,
    columns.entryLogs,
    columns.places,
    columns.stamps,
    columns.types,
    columns.rests,
    columns.errors,
    columns.llmTimeouts,
    columns.turns,
  )

// The same for a single log, with a fifth less work: its update locks the row and judges it.
const appendOne = statement<{ before: number }>(`
  with grown as (
    update logs set seq = seq + $2::int, batch = coalesce($4::int, batch)
    where id = $1 and not sealed and ($3::text is null or runner = $3) and ($4::int is null or batch + 1 = $4::int)
      and (call is null or seq::bigint + $2::int <= coalesce(most, ${usualCaps.entries})::bigint + $5::int)
    returning id, org, call, month, seq - $2::int as before
  ), counted as (
    update calls set errors = calls.errors + $10::int, llm_timeouts = calls.llm_timeouts + $11::int,
      turns = calls.turns + $12::int
    from grown where calls.id = grown.call and $10::int + $12::int > 0
  ), kept as (
    insert into entries (log, seq, ts, type, entry, org, month)
    select id, before + place, added.ts, added.type, '{"seq":' || (before + place) || added.rest,
      case when added.type in ('user.message', 'agent.message') then org end, month
    from grown cross join unnest(${opaque('$6::int[]')}, $7::float8[], $8::text[], $9::text[])
      as added (place, ts, type, rest)
  )
  select before from grown`)

/** Whether the only log of these columns grew; undefined says only that it did not. */
export const appendToOne = (tx: Queryable, columns: Columns) =>
  tx.row(
    appendOne,
    columns.logs[0],
    columns.counts[0],
    columns.runners[0],
    columns.batches[0],
    columns.rooms[0],
    columns.places,
    columns.stamps,
    columns.types,
    columns.rests,
    columns.errors[0],
    columns.llmTimeouts[0],
    columns.turns[0],
  )

/** A call that ended and is traced. */
export interface EndedTrace {
  id: string
  org: string
  env: string
  agent: string
  channel: string
  direction: string
  reason: string
  traceparent: string
  startedAtMs: number
  endedAtMs: number
}

const end = statement<EndedTrace>(`
  with ended as (
    update calls set state = 'ended', ended_at = to_timestamp(added.ts), reason = added.reason, held_by = null,
      beat_at = null
    from unnest(${opaque('$1::text[]')}, $2::float8[], $3::text[]) as added (id, ts, reason)
    where calls.id = added.id
    returning calls.id, org, env, agent, channel, direction, calls.reason, traceparent, opened_at, ended_at
  ), sealed as (
    update logs set sealed = true, runner = null where id in (select id from ended)
  )
  select id, org, env, agent, channel, direction, reason, traceparent,
    (extract(epoch from opened_at) * 1000)::float8 as "startedAtMs",
    (extract(epoch from ended_at) * 1000)::float8 as "endedAtMs"
  from ended where traceparent is not null`)

/** Ends calls and seals their logs; answers those that are traced. */
export const endAll = (tx: Transaction, ends: readonly { call: string; ts: number; reason: string }[]) =>
  tx.rows(
    end,
    ends.map(({ call }) => call),
    ends.map(({ ts }) => ts),
    ends.map(({ reason }) => reason),
  )

export interface LockedLog extends LogRef {
  seq: number
  batch: number
  runner: string | null
  sealed: boolean
}

const lock = statement<LockedLog>(`
  select id, org, env, agent, call, seq, batch, runner, sealed from logs where id = $1 for update`)

/** Locked to the end of the transaction: no other writer appends to it or changes its call's state. */
export const lockLog = (tx: Transaction, id: string) => tx.row(lock, id)

const find = statement<LockedLog>(
  `select id, org, env, agent, call, seq, batch, runner, sealed from logs where id = $1`,
)

export const findLog = (database: Queryable, id: string) => database.row(find, id)

const grown = statement<{ id: string; seq: number }>(`
  select logs.id, logs.seq from unnest(${opaque('$1::text[]')}, $2::int[]) as known (id, seq)
  join logs on logs.id = known.id and logs.seq > known.seq`)

/** Which of these logs are longer than they are known to be. */
export const findGrown = (database: Queryable, known: readonly { id: string; seq: number }[]) =>
  database.rows(
    grown,
    known.map(({ id }) => id),
    known.map(({ seq }) => seq),
  )

const page = statement<KeptEntry>(`
  select seq, type, entry from entries where ${ofLog('$1')} and seq > $2 order by seq limit $3`)

export const readAfter = (database: Queryable, log: string, after: number, limit: number) =>
  database.rows(page, log, after, limit)

export interface PageAsked {
  log: string
  after: number
}

// Each log's page by its index, however many are asked for.
const pages = statement<KeptEntry & { place: number }>(`
  select asked.place::int, page.seq, page.type, page.entry
  from unnest(${opaque('$1::text[]')}, ${opaque('$2::int[]')}) with ordinality as asked (log, after, place)
  cross join lateral (
    select seq, type, entry from entries where ${ofLog('asked.log')} and seq > asked.after order by seq limit $3
  ) as page
  order by asked.place, page.seq`)

/** The next entries of each log, up to a limit each. */
export async function readPages(
  database: Queryable,
  asked: readonly PageAsked[],
  limit: number,
): Promise<KeptEntry[][]> {
  const found = await database.rows(
    pages,
    asked.map(({ log }) => log),
    asked.map(({ after }) => after),
    limit,
  )
  const read: KeptEntry[][] = asked.map(() => [])
  for (const { place, seq, type, entry } of found) read[place - 1]?.push({ seq, type, entry })
  return read
}

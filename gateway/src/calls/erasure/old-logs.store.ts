import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import { noMonth } from '../log/months.ts'
import { allowErasing } from './erasure.store.ts'
import type { AgentLog } from './mentions.store.ts'

// The log is locked first, as by every rule that changes a call; a log that is locked already waits for the next run.
const remove = statement<{ calls: { id: string; org: string }[]; entries: number }>(`
  with old as materialized (
    select logs.id, logs.month, logs.seq, coalesce(logs.month >= $3::int, false) as is_left
    from calls join logs on logs.id = calls.id
    where calls.ended_at < $1 and not calls.forgotten
    order by calls.ended_at limit $2
    for update of logs skip locked
  ), gone as (
    delete from entries using old
    where not old.is_left and entries.log = old.id and entries.month = old.month returning 1
  ), without_words as (
    delete from turn_words using old where old.is_left and turn_words.call = old.id
  ), out_of_reach as (
    update logs set month = null from old where old.month > ${noMonth} and logs.id = old.id
  ), marked as (
    update calls set forgotten = true from old where calls.id = old.id returning calls.id, calls.org
  )
  select (select coalesce(json_agg(json_build_object('id', id, 'org', org)), '[]') from marked) as calls,
    (select count(*) from gone) + (select coalesce(sum(seq), 0) from old where is_left) as entries`)

/**
 * Deletes the entries of some calls that ended before then. Those in a month from `leftFrom` on are only taken out of
 * every reader’s reach, and dropped with their month.
 */
export async function deleteSome(tx: Transaction, before: Date, limit: number, leftFrom: number | null) {
  await allowErasing(tx)
  return (await tx.row(remove, before, limit, leftFrom)) ?? { calls: [], entries: 0 }
}

const nextOldLog = statement<AgentLog & { id: string }>(`
  select id, org, env, agent from logs
  cross join lateral (
    select ts from entries where log = logs.id and month = ${noMonth} order by seq limit 1
  ) as oldest
  where call is null and (org, env, agent) > ($1, $2, $3) and oldest.ts < extract(epoch from $4::timestamptz)
  order by org, env, agent limit 1`)

/** The next of the agents' own logs whose oldest entry is from before then. */
export const nextOfAgents = (
  database: Queryable,
  { org, env, agent }: AgentLog | { org: ''; env: ''; agent: '' },
  before: Date,
) => database.row(nextOldLog, org, env, agent, before)

// The oldest by their place: those after an entry that is not old are not read.
const removeOldest = statement<{ gone: number }>(`
  with oldest as materialized (
    select seq, ts from entries where log = $1 and month = ${noMonth} order by seq limit $3
  ), gone as (
    delete from entries using oldest
    where entries.log = $1 and month = ${noMonth} and entries.seq = oldest.seq and oldest.ts < extract(epoch from $2::timestamptz)
    returning 1
  )
  select count(*)::int as gone from gone`)

/** Deletes some entries of an agent's own log from before then; answers how many. */
export async function deleteOldest(tx: Transaction, log: string, before: Date, limit: number) {
  await allowErasing(tx)
  return (await tx.row(removeOldest, log, before, limit))?.gone ?? 0
}

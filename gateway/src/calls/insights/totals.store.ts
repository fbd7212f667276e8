import type { Environment } from '@switchroom/contract/scopes'
import { checkOf, type Check } from '../../database/due-checks.ts'
import { opaque, statement, type Queryable, type Transaction } from '../../database/database.ts'
import { ofLog } from '../log/months.ts'

const uncounted = statement<{ call: string }>(`select call from uncounted_calls limit 1`)

export const uncountedCheck = (): Check => checkOf(uncounted)

export interface EndedCall {
  org: string
  env: Environment
  agent: string
  /** Epoch seconds of the hour and of the day in which it was opened. */
  hour: number
  day: number
  seconds: number
  errors: number
  reason: string
  credits: number
  /** How long its caller waited for each answer. */
  waits: number[]
}

const start = (unit: 'hour' | 'day') =>
  `extract(epoch from date_trunc('${unit}', c.opened_at, 'UTC'))::float8`

const take = statement<EndedCall>(`
  with taken as materialized (
    delete from uncounted_calls where call in (select call from uncounted_calls limit $1 for update skip locked)
    returning call
  )
  select c.org, c.env, c.agent, ${start('hour')} as hour, ${start('day')} as day,
    greatest(0, extract(epoch from c.ended_at - c.opened_at))::float8 as seconds, c.errors,
    coalesce(c.reason, 'failed') as reason, used.credits, used.waits
  from taken join calls c on c.id = taken.call cross join lateral (
    select coalesce(sum((data ->> 'credits')::float8), 0) as credits,
      coalesce(array_agg((data ->> 'heard_ms')::float8) filter (where data ->> 'stage' = 'turn' and data ->> 'heard_ms' is not null), '{}') as waits
    from entries cross join lateral (select entry::json -> 'data' as data) as read
    where ${ofLog('c.id')} and type = 'metrics'
  ) as used
  where not c.test`)

/** Some of the calls that ended, which no other gateway takes; with what their logs say that they used. */
export const takeEnded = (tx: Transaction, limit: number) => tx.rows(take, limit)

export interface Total {
  org: string
  env: Environment
  unit: 'hour' | 'day'
  /** Epoch seconds. */
  at: number
  agent: string
  calls: number
  seconds: number
  errors: number
  with_errors: number
  credits: number
  reasons: Record<string, number>
  heard: number[]
}

const add = statement(`
  insert into call_totals as kept
    (org, env, unit, at, agent, calls, seconds, errors, with_errors, credits, reasons, heard)
  select org, env, unit, to_timestamp(at), agent, calls, seconds, errors, with_errors, credits, reasons, heard
  from jsonb_to_recordset($1::jsonb) as added (org text, env text, unit text, at float8, agent text, calls integer,
    seconds float8, errors integer, with_errors integer, credits float8, reasons jsonb, heard integer[])
  order by org, env, unit, at, agent
  on conflict (org, env, unit, at, agent) do update set
    calls = kept.calls + excluded.calls, seconds = kept.seconds + excluded.seconds,
    errors = kept.errors + excluded.errors, with_errors = kept.with_errors + excluded.with_errors,
    credits = kept.credits + excluded.credits,
    reasons = (
      select jsonb_object_agg(reason, count) from (
        select key as reason, sum(value::integer) as count
        from (select * from jsonb_each(kept.reasons) union all select * from jsonb_each(excluded.reasons)) as both_of
        group by key
      ) as summed
    ),
    heard = (
      select array_agg(coalesce(a, 0) + coalesce(b, 0) order by place)
      from unnest(kept.heard, excluded.heard) with ordinality as pair (a, b, place)
    )`)

/** In one order, so that no two gateways deadlock. */
export const addTotals = (tx: Transaction, totals: readonly Total[]) => tx.rows(add, JSON.stringify(totals))

const forget = statement(`
  delete from call_totals t using unnest(${opaque('$1::text[]')}) as own (org), (values ('sandbox'), ('production')) as e (env)
  where t.org = own.org and t.env = e.env and t.unit = 'hour' and t.at < $2`)

export const deleteHours = (tx: Transaction, orgs: readonly string[], before: Date) =>
  tx.rows(forget, orgs, before)

const older = statement(`
  insert into uncounted_calls (call)
  select c.id from calls c, call_totals_since s
  where c.id = any($1::text[]) and c.ended_at is not null and c.ordinal <= s.ordinal and c.id <> all(s.open)
    and c.opened_at > $2
  on conflict do nothing`)

/** Of these calls, those that had ended before there was a trigger. */
export const queueOlder = (tx: Transaction, calls: readonly string[], since: Date) =>
  tx.rows(older, calls, since)

const read = statement<Omit<Total, 'org' | 'env' | 'unit' | 'agent'>>(`
  select extract(epoch from at)::float8 as at, calls, seconds, errors, with_errors, credits, reasons, heard
  from call_totals
  where org = $1 and env = $2 and unit = $3 and at >= $4 and at < $5 and ($6::text[] is null or agent = any($6::text[]))`)

export interface PeriodAsked {
  org: string
  env: Environment
  unit: 'hour' | 'day'
  from: Date
  to: Date
  /** Null for every agent. */
  agents: readonly string[] | null
}

export const readTotals = (database: Queryable, { org, env, unit, from, to, agents }: PeriodAsked) =>
  database.rows(read, org, env, unit, from, to, agents)

const live = statement<{ live: number }>(`
  select count(*)::int as live from calls
  where org = $1 and env = $2 and state <> 'ended' and not test and ($3::text[] is null or agent = any($3::text[]))`)

export const countLive = async (
  database: Queryable,
  { org, env, agents }: Pick<PeriodAsked, 'org' | 'env' | 'agents'>,
) => (await database.row(live, org, env, agents))?.live ?? 0

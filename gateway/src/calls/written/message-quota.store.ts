import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable } from '../../database/database.ts'

/** Whole five minutes are summed, and rows counted only of those in which the time begins. */
export const usedCount = statement<{ count: number }>(`
  select (
    select coalesce(sum(count), 0)::int from quota_counts
    where org = $1 and env = $2 and counted = 'turns' and bucket > quota_bucket($3)
  ) + (
    select count(*)::int from asked_turns
    where org = $1 and env = $2 and asked_at > $3 and asked_at < bucket_end($3)
  ) as count`)

export const countUsed = async (database: Queryable, org: string, env: Environment, since: Date) =>
  (await database.row(usedCount, org, env, since))?.count ?? 0

const known = statement<{ count: number }>(`
  select count(*)::int as count from asked_turns where call = $1 and seq = any($2)`)

export const countKnown = async (database: Queryable, call: string, seqs: readonly number[]) =>
  (await database.row(known, call, seqs))?.count ?? 0

const insert = statement(`
  insert into asked_turns (call, seq, org, env, asked_at)
  select $1, seq, $3, $4, $5 from unnest($2::int[]) as turns (seq)
  on conflict (call, seq) do nothing`)

export const insertUsed = (
  database: Queryable,
  call: { id: string; org: string; env: Environment },
  seqs: readonly number[],
  now: Date,
) => database.rows(insert, call.id, seqs, call.org, call.env, now)

const remove = statement(`delete from asked_turns where asked_at <= $1`)

export const deleteUsedBefore = (database: Queryable, before: Date) => database.rows(remove, before)

import { statement, type Queryable } from '../database/database.ts'

// One statement, so that of two tries at the same instant the second sees the first: the row is locked.
const admit = statement<{ admitted: string }>(`
  insert into rate_counts as counted (subject, admitted, forget_at)
  values ($1, array[$2::timestamptz], $2::timestamptz + $4::interval)
  on conflict (subject) do update
  set admitted = array(select t from unnest(counted.admitted) t where t > $2::timestamptz - $4::interval) || $2::timestamptz,
    forget_at = excluded.forget_at
  where (select count(*) from unnest(counted.admitted) t where t > $2::timestamptz - $4::interval) < $3::int
  returning 'yes' as admitted`)

export const admitTry = (database: Queryable, subject: Buffer, now: Date, limit: number, windowMs: number) =>
  database.row(admit, subject, now, limit, `${windowMs} milliseconds`)

const oldestCounted = statement<{ oldest: string | null }>(`
  select min(t) as oldest from rate_counts, unnest(admitted) t
  where subject = $1 and t > $2::timestamptz - $3::interval`)

export const oldestTry = (database: Queryable, subject: Buffer, now: Date, windowMs: number) =>
  database.row(oldestCounted, subject, now, `${windowMs} milliseconds`)

const forget = statement(`delete from rate_counts where forget_at <= $1`)

export const forgetOldCounts = (database: Queryable, now: Date) => database.rows(forget, now)

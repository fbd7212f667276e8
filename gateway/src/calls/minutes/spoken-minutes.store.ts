import { statement, type Queryable } from '../../database/database.ts'

/** Calls that ended this month are added up already; of those that run, there are few. */
export const spokenSeconds = statement<{ seconds: number }>(`
  select (
    select coalesce(sum(seconds), 0) from spoken_seconds
    where org = $1 and month = date_trunc('month', $2::timestamptz at time zone 'UTC')::date
  ) + (
    select coalesce(sum(greatest(0, extract(epoch from $2::timestamptz - c.began)))::float8, 0)
    from logs l cross join lateral (
      select spoken_from(id, direction, runner, opened_at) as began from calls
      where id = l.call and channel in ('phone', 'web')
    ) c
    where l.org = $1 and l.call is not null and not l.sealed
  ) as seconds`)

export const sumSeconds = async (database: Queryable, org: string, now: Date) =>
  (await database.row(spokenSeconds, org, now))?.seconds ?? 0

const removeOld = statement(`
  delete from spoken_seconds where month < date_trunc('month', $1::timestamptz at time zone 'UTC') - interval '1 year'`)

export const deleteOldMonths = (database: Queryable, now: Date) => database.rows(removeOld, now)

import { statement, type Queryable } from '../../database/database.ts'

const begin = statement<{ night: string }>(`
  insert into retention_run (night, begun_at) values ($1::date, $2)
  on conflict (only_row) do update set night = excluded.night, begun_at = excluded.begun_at, ended_at = null
  where retention_run.night < excluded.night
    or (retention_run.night = excluded.night and retention_run.ended_at is null and retention_run.begun_at < $3)
  returning night::text`)

/** Undefined if another gateway runs this night, or has run it; a run that began before `lost` is taken for dead. */
export const beginNight = (database: Queryable, night: string, now: Date, lost: Date) =>
  database.row(begin, night, now, lost)

const end = statement(`update retention_run set ended_at = $2 where night = $1::date`)

export const endNight = (database: Queryable, night: string, now: Date) => database.rows(end, night, now)

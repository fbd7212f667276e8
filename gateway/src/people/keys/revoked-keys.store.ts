import { statement, type Queryable } from '../../database/database.ts'

// A key that something names still is left for the next run; so is one with a copy that is not revoked itself, because
// that one is refused only for the sake of this one.
const deleteRevoked = statement<{ gone: number }>(`
  with dead as materialized (
    select id from keys
    where revoked_at < $1
      and not exists (select from keys as copies where copies.ancestors @> array[keys.id] and copies.revoked_at is null)
      and not exists (select from app_sockets where key_id = keys.id)
      and not exists (select from voice_grants where key_id = keys.id)
      and not exists (select from login_codes where key = keys.id)
      and not exists (select from pairings where key = keys.id)
    order by revoked_at limit $2
    for update skip locked
  ), gone as (
    delete from keys using dead where keys.id = dead.id returning 1
  )
  select count(*)::int as gone from gone`)

/** Deletes some keys that were revoked before then; answers how many. */
export const deleteSome = async (database: Queryable, before: Date, limit: number) =>
  (await database.row(deleteRevoked, before, limit))?.gone ?? 0

import { statement, type Transaction } from '../../database/database.ts'
import { allowErasing } from './erasure.store.ts'

// The log is locked first, as by every rule that changes a call; a log that is locked already waits for the next run.
const remove = statement<{ calls: { id: string; org: string }[]; entries: number }>(`
  with old as materialized (
    select logs.id from calls join logs on logs.id = calls.id
    where calls.ended_at < $1 and not calls.forgotten
    order by calls.ended_at limit $2
    for update of logs skip locked
  ), gone as (
    delete from entries using old where entries.log = old.id returning 1
  ), marked as (
    update calls set forgotten = true from old where calls.id = old.id returning calls.id, calls.org
  )
  select (select coalesce(json_agg(json_build_object('id', id, 'org', org)), '[]') from marked) as calls,
    (select count(*) from gone) as entries`)

/** Deletes the entries of some calls that ended before then. */
export async function deleteSome(tx: Transaction, before: Date, limit: number) {
  await allowErasing(tx)
  return (await tx.row(remove, before, limit)) ?? { calls: [], entries: 0 }
}

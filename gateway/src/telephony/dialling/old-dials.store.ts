import { statement, type Transaction } from '../../database/database.ts'

const allow = statement(`select set_config('switchroom.dial_retention', 'on', true)`)

/** For this transaction only. */
export const allowDeleting = (tx: Transaction) => tx.rows(allow)

// The oldest by the order in which they were written: those after one that is not old are not read.
const deleteOldest = statement<{ gone: number }>(`
  with oldest as materialized (
    select ordinal, at from dials order by ordinal limit $2
  ), gone as (
    delete from dials using oldest where dials.ordinal = oldest.ordinal and oldest.at < $1 returning dials.call
  ), results as (
    delete from dial_results where call in (select call from gone where call is not null)
  )
  select count(*)::int as gone from gone`)

/** Deletes some dials from before then, with how they went; answers how many. */
export const deleteSome = async (tx: Transaction, before: Date, limit: number) =>
  (await tx.row(deleteOldest, before, limit))?.gone ?? 0

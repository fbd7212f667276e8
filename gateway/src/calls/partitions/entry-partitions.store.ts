import { statement, type Queryable } from '../../database/database.ts'

export interface PartitionState {
  isPartitioned: boolean
  /** Whether the indexes are as partitions are to have them. */
  isReady: boolean
  months: number[]
}

// `entries_words` goes once all words are in a table of their own; until then partitions would be made with a copy of it.
const state = statement<PartitionState>(`
  select
    (select relkind = 'p' from pg_class where oid = to_regclass('entries')) as "isPartitioned",
    to_regclass('entries_words') is null and exists (
      select from pg_index where indexrelid = to_regclass('logs_of_month') and indisvalid
    ) as "isReady",
    array(select month from entry_months order by month) as months`)

export async function readState(database: Queryable): Promise<PartitionState> {
  const row = await database.row(state)
  if (!row) throw new Error('the state is one row')
  return row
}

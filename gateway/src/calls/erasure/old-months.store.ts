import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import { noMonth } from '../log/months.ts'
import { allowErasing } from './erasure.store.ts'

// Never the newest: new logs are given it until there is another.
const months = statement<{ month: number }>(`
  select month from entry_months where month < (select max(month) from entry_months) order by month`)

export const listMonths = async (database: Queryable) =>
  (await database.rows(months)).map(({ month }) => month)

const lock = statement<{ id: string }>(`
  select id from logs where month = $1 and month > ${noMonth} order by id collate "C" limit $2 for update skip locked`)

// An update, and not a deletion and an insertion: the words of what was said stay as they are.
const moveEntries = statement(`
  update entries set month = ${noMonth} where month = $1 and log = any($2::text[])`)

const moveLogs = statement(`update logs set month = ${noMonth} where id = any($1::text[])`)

/** Moves some logs of a month to those that have none; answers how many. */
export async function moveSome(tx: Transaction, month: number, limit: number): Promise<number> {
  const logs = (await tx.rows(lock, month, limit)).map(({ id }) => id)
  if (logs.length === 0) return 0
  await allowErasing(tx)
  await tx.rows(moveEntries, month, logs)
  await tx.rows(moveLogs, logs)
  return logs.length
}

import { statement, type Queryable } from '../../database/database.ts'
import type { SealedColumn } from './sealed-columns.ts'

export interface SealedRow {
  /** Names the row among those of its column. */
  id: string
  key: Record<string, string>
  value: Buffer
}

const idOf = ({ key }: SealedColumn) => `concat_ws(chr(31), ${Object.values(key).join(', ')}) collate "C"`
const keyOf = ({ key }: SealedColumn) =>
  `json_build_object(${Object.entries(key)
    .map(([name, sql]) => `'${name}', ${sql}`)
    .join(', ')})`
const isOlder = (column: string) =>
  `${column} is not null and substring(${column} from 1 for length($1::bytea)) <> $1::bytea`

/** Values that do not begin so, from behind a row on. */
export const listOlder = (
  database: Queryable,
  column: SealedColumn,
  header: Buffer,
  after: string,
  limit: number,
) =>
  database.rows(
    statement<SealedRow>(`
      select ${idOf(column)} as id, ${keyOf(column)} as key, ${column.column} as value from ${column.table}
      where ${isOlder(column.column)} and ${idOf(column)} > $2 order by 1 limit $3`),
    header,
    after,
    limit,
  )

export const countOlder = async (database: Queryable, { table, column }: SealedColumn, header: Buffer) => {
  const query = `select count(*)::int as count from ${table} where ${isOlder(column)}`
  return (await database.row(statement<{ count: number }>(query), header))?.count ?? 0
}

/** Only if the value is still the one that was read: a newer value stays. */
export const replaceValue = async (
  database: Queryable,
  { table, column, key: sql }: SealedColumn,
  { key, value }: SealedRow,
  sealed: Buffer,
) => {
  const names = Object.keys(sql)
  const isRow = names.map((name, at) => `${sql[name]} = $${at + 3}`).join(' and ')
  const query = `update ${table} set ${column} = $2 where ${isRow} and ${column} = $1 returning 1 as replaced`
  const values = names.map((name) => key[name])
  return (await database.row(statement<{ replaced: number }>(query), value, sealed, ...values)) !== undefined
}

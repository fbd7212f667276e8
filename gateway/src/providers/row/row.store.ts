import type { ProviderRow } from '@switchroom/contract/providers'
import { statement, type Queryable } from '../../database/database.ts'

const read = statement<{ document: ProviderRow }>(`select document from providers_row`)

export const readRow = async (database: Queryable) => (await database.row(read))?.document

const keepFirst = statement(`insert into providers_row (document) values ($1) on conflict do nothing`)

/** Of several gateways that start at once, one stores the row of its file. */
export const keepFirstRow = (database: Queryable, row: ProviderRow) =>
  database.rows(keepFirst, JSON.stringify(row))

const keep = statement(`
  insert into providers_row (document) values ($1)
  on conflict (only_row) do update set document = excluded.document`)

export const keepRow = (database: Queryable, row: ProviderRow) => database.rows(keep, JSON.stringify(row))

import { statement, type Transaction } from '../../database/database.ts'

const remove = statement(`
  delete from sends where call = any($1::text[]) and not exists (select from sendings where sendings.call = sends.call)`)

/** What a gateway still sends stays. */
export const deleteSends = (tx: Transaction, calls: readonly string[]) => tx.rows(remove, calls)

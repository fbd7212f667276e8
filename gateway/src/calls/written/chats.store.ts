import { statement, type Transaction } from '../../database/database.ts'
import { ofLog } from '../log/months.ts'

const sent = statement<{ entry: string }>(`
  select entry from entries
  where ${ofLog('$1')} and type = 'user.message' and left(entry::json -> 'data' ->> 'messageId', 64) = left($2, 64)
    and entry::json -> 'data' ->> 'messageId' = $2
  limit 1`)

/** A message that came before under this id. */
export const findMessage = (tx: Transaction, log: string, messageId: string) => tx.row(sent, log, messageId)

import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable } from '../../database/database.ts'
import { noMonth } from '../log/months.ts'

/** The position of a callback in the list. */
export interface Place {
  ts: number
  agent: string
  seq: number
}

export interface ListedCallback extends Place {
  entry: string
}

// The first page of each agent's log after the cursor, merged and cut to one page.
const page = statement<ListedCallback>(`
  select asked.ts, logs.agent, asked.seq, asked.entry
  from logs
  cross join lateral (
    select ts, seq, entry from entries
    where log = logs.id and entries.month = ${noMonth} and type = 'callback.requested' and ts >= $4
      and (ts > $4 or (logs.agent collate "C", seq) > ($5 collate "C", $6::bigint))
    order by ts, seq limit $7
  ) asked
  where logs.org = $1 and logs.env = $2 and logs.call is null and ($3::text is null or logs.agent = $3)
  order by asked.ts, logs.agent collate "C", asked.seq limit $7`)

export const listAfter = (
  database: Queryable,
  of: { org: string; env: Environment; agent: string | undefined },
  after: Place,
  limit: number,
) => database.rows(page, of.org, of.env, of.agent, after.ts, after.agent, after.seq, limit)

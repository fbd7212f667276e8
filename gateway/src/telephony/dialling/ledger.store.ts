import type { Dial } from '@switchroom/contract/dialling'
import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable } from '../../database/database.ts'

export interface ListedDial extends Dial {
  ordinal: number
}

const page = statement<ListedDial>(`
  select id, extract(epoch from at)::float8 as at, env, agent, kind, called as "to", caller as "from", call, by,
    outcome, status, reason, ordinal
  from dials where org = $1 and env = $2 and ($3::bigint is null or ordinal < $3)
  order by ordinal desc limit $4`)

export const listDials = (
  database: Queryable,
  org: string,
  env: Environment,
  before: number | null,
  limit: number,
) => database.rows(page, org, env, before, limit)

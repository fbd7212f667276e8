import type { Dial } from '@switchroom/contract/dialling'
import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable } from '../../database/database.ts'

export interface ListedDial extends Dial {
  ordinal: number
}

const page = statement<ListedDial>(`
  select d.id, extract(epoch from d.at)::float8 as at, d.env, d.agent, d.kind, d.called as "to", d.caller as "from",
    d.call, d.by, d.outcome, d.status, d.reason, d.ordinal,
    case when r.call is not null then json_build_object('outcome', r.outcome, 'sip_status', r.sip_status,
      'sip_reason', r.sip_reason, 'why', r.why, 'account', r.account, 'failed_accounts', r.failed_accounts) end as result
  from dials d
  left join dial_results r on r.call = d.call and d.kind = 'dial'
  where d.org = $1 and d.env = $2 and ($3::bigint is null or d.ordinal < $3)
  order by d.ordinal desc limit $4`)

export const listDials = (
  database: Queryable,
  org: string,
  env: Environment,
  before: number | null,
  limit: number,
) => database.rows(page, org, env, before, limit)

import type { Environment } from '@switchroom/contract/scopes'
import type { CallSummary } from '@switchroom/contract/sessions'
import { statement, type Queryable } from '../../database/database.ts'

export type CallRecord = Omit<CallSummary, 'held_by' | 'turns' | 'tools' | 'errors' | 'usage' | 'callbacks'>

const record = statement<CallRecord>(`
  select id as call, agent, env, channel, direction, caller as "from", called as "to", contact, metadata, state,
    reason, extract(epoch from opened_at)::float8 as started_at, extract(epoch from ended_at)::float8 as ended_at,
    config_version, canary, test, substr(traceparent, 4, 32) as trace_id
  from calls where id = $1 and org = $2 and env = $3`)

export const findRecord = (database: Queryable, call: string, org: string, env: Environment) =>
  database.row(record, call, org, env)

import type { Environment } from '@switchroom/contract/scopes'
import { ofLog } from '../../calls/log/months.ts'
import { statement, type Queryable } from '../../database/database.ts'

/** What does not change of a call once it has begun. */
export interface BegunCall {
  call: string
  agent: string
  channel: string
  direction: 'inbound' | 'outbound'
  from: string | null
  to: string | null
  contact: string | null
  started_at: number
  metadata: Record<string, unknown>
}

const begun = statement<BegunCall>(`
  select id as call, agent, channel, direction, caller as "from", called as "to", contact,
    extract(epoch from opened_at)::float8 as started_at, metadata
  from calls where id = $1 and org = $2 and env = $3 and not erased`)

export const findBegunCall = (database: Queryable, call: string, org: string, env: Environment) =>
  database.row(begun, call, org, env)

const recording = statement<{ bytes: number; duration_ms: number }>(
  `select bytes, duration_ms from recordings where call = $1`,
)

export const findRecording = (database: Queryable, call: string) => database.row(recording, call)

const entry = statement<{ entry: string }>(`select entry from entries where ${ofLog('$1')} and seq = $2`)

export const findEntry = async (database: Queryable, call: string, seq: number) =>
  (await database.row(entry, call, seq))?.entry

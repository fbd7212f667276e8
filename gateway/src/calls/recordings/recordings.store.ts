import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'

const gone = statement<{ call: string }>(`
  select id as call from calls where id = $1 and (erased or forgotten)`)

/** Whether the call is one whose words are gone; its log is held. */
export const isGone = async (tx: Transaction, call: string) => (await tx.row(gone, call)) !== undefined

const put = statement(`
  insert into recordings (call, bytes, duration_ms, stored_at) values ($1, $2, $3, $4)
  on conflict (call) do update
  set bytes = excluded.bytes, duration_ms = excluded.duration_ms, stored_at = excluded.stored_at`)

export const putRecording = (
  tx: Transaction,
  { call, bytes, durationMs }: { call: string; bytes: number; durationMs: number },
  now: Date,
) => tx.rows(put, call, bytes, durationMs, now)

const find = statement<{ is_recorded: boolean }>(`
  select r.call is not null as is_recorded from calls c left join recordings r on r.call = c.id
  where c.id = $1 and c.org = $2 and c.env = $3`)

/** Nothing for a call of another org or environment. */
export const findRecording = (database: Queryable, call: string, org: string, env: Environment) =>
  database.row(find, call, org, env)

const remove = statement<{ call: string }>(`delete from recordings where call = any($1::text[])`)

export const deleteRecordings = (tx: Transaction, calls: readonly string[]) => tx.rows(remove, calls)

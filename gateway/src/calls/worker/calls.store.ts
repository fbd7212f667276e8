import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'

/** A call as whoever runs it needs it. */
export interface SpokenCall {
  id: string
  org: string
  env: Environment
  agent: string
  holder: string
  channel: string
  caller: string | null
  called: string | null
  contact: string | null
  language: string | null
  line: string | null
  worker: string | null
  beat_at: string | null
  ended_at: string | null
}

const columns = `c.id, c.org, c.env, c.agent, c.holder, c.channel, c.caller, c.called, c.contact, c.language, c.line,
  c.worker, c.beat_at, c.ended_at`

const find = statement<SpokenCall>(`select ${columns} from calls c where c.id = $1`)

export const findCall = (database: Queryable, id: string) => database.row(find, id)

/** A call whose log is held. */
export interface HeldCall extends Pick<SpokenCall, 'id' | 'org' | 'env' | 'agent' | 'channel'> {
  seq: number
  batch: number
  sealed: boolean
}

// One statement, for it comes with every entry of every call.
const hold = statement<HeldCall>(`
  with held as materialized (
    select id, org, env, agent, seq, batch, sealed from logs where id = $1 and org = $2 and env = $3 for update
  ), counted as (
    update logs set batch = $4 from held where logs.id = held.id and $4 = held.batch + 1
  ), beaten as (
    update calls set beat_at = $5 from held
    where calls.id = held.id and calls.ended_at is null and (calls.beat_at is null or calls.beat_at <= $6)
  )
  select held.*, c.channel from held join calls c on c.id = held.id`)

export interface SignOfLife {
  call: string
  org: string
  env: Environment
  /** Counted where it is the next one. */
  batch: number | null
  now: Date
  /** A sign of life that was written down since then is not written again. */
  unlessSince: Date
}

/**
 * Held until the end of the transaction: nobody else writes to its log, nor changes how it stands. Its worker lives.
 */
export const holdCall = (tx: Transaction, { call, org, env, batch, now, unlessSince }: SignOfLife) =>
  tx.row(hold, call, org, env, batch, now, unlessSince)

const take = statement(`update calls set beat_at = $2, worker = $3 where id = $1`)

export const setWorker = (tx: Transaction, id: string, now: Date, worker: string | undefined) =>
  tx.rows(take, id, now, worker)

const silent = statement<{ id: string }>(`
  select id from calls where ended_at is null and beat_at is not null and beat_at <= $1 order by beat_at limit 100`)

/** Those whose workers gave no sign of life since then, the longest silent first. */
export const findSilent = (database: Queryable, since: Date) => database.rows(silent, since)

const asked = statement<{ id: string }>(`
  select asked ->> 'id' as id from entries, json_array_elements(entry::json -> 'data' -> 'toolCalls') as asked
  where log = $1 and type = 'llm.toolCall'`)

/** The ids of every tool that was asked for in a call. */
export const listToolIds = async (tx: Transaction, call: string) =>
  (await tx.rows(asked, call)).map(({ id }) => id)

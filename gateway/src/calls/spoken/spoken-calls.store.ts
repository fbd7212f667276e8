import type { Environment } from '@switchroom/contract/scopes'
import { callColumns, type CallRow } from '../records/call-object.ts'
import { checkOf, type Check } from '../../database/due-checks.ts'
import {
  opaque,
  statement,
  type Database,
  type Queryable,
  type Transaction,
} from '../../database/database.ts'
import { ofLog } from '../log/months.ts'

export interface SpokenCall {
  id: string
  org: string
  env: Environment
  agent: string
  holder: string
  channel: string
  direction: 'inbound' | 'outbound'
  caller: string | null
  called: string | null
  contact: string | null
  language: string | null
  line: string | null
  worker: string | null
  /** Its worker's last heartbeat; null if no worker runs it. */
  beat_at: string | null
  ended_at: string | null
  traceparent: string | null
}

const columns = `c.id, c.org, c.env, c.agent, c.holder, c.channel, c.direction, c.caller, c.called, c.contact, c.language,
  c.line, c.worker, h.beat_at, c.ended_at, c.traceparent`

const find = statement<SpokenCall>(`
  select ${columns} from calls c left join call_heartbeats h on h.call = c.id where c.id = $1`)

export const findCall = (database: Queryable, id: string) => database.row(find, id)

type Kept =
  | 'id'
  | 'org'
  | 'env'
  | 'agent'
  | 'holder'
  | 'channel'
  | 'direction'
  | 'caller'
  | 'called'
  | 'contact'
  | 'beat_at'

/** A call as its worker writes to it. */
export interface RunCall extends Pick<SpokenCall, Kept> {
  seq: number
  batch: number
  sealed: boolean
}

const runColumns = `l.id, l.org, l.env, l.agent, l.seq, l.batch, l.sealed, c.channel, c.direction, c.caller, c.called,
  c.contact, c.holder, h.beat_at`

/** Which call, and of whom it must be. */
export interface RunCallAsked {
  id: string
  org: string
  env: Environment
}

const findRuns = statement<RunCall & { place: number }>(`
  select asked.place::int, ${runColumns}
  from unnest(${opaque('$1::text[]')}, ${opaque('$2::text[]')}, ${opaque('$3::text[]')}) with ordinality
    as asked (id, org, env, place)
  join logs l on l.id = asked.id and l.org = asked.org and l.env = asked.env
  join calls c on c.id = l.id left join call_heartbeats h on h.call = l.id`)

/** For each the call, if there is one. */
export async function findRunCalls(
  database: Queryable,
  asked: readonly RunCallAsked[],
): Promise<(RunCall | undefined)[]> {
  const found = await database.rows(
    findRuns,
    asked.map(({ id }) => id),
    asked.map(({ org }) => org),
    asked.map(({ env }) => env),
  )
  const calls: (RunCall | undefined)[] = asked.map(() => undefined)
  for (const { place, ...call } of found) calls[place - 1] = call
  return calls
}

const lockRun = statement<RunCall>(`
  select ${runColumns} from logs l join calls c on c.id = l.id left join call_heartbeats h on h.call = l.id
  where l.id = $1 and l.org = $2 and l.env = $3 for update of l`)

/** Locked to the end of the transaction: no other writer appends to its log or changes its state. */
export const lockRunCall = (tx: Transaction, id: string, org: string, env: Environment) =>
  tx.row(lockRun, id, org, env)

const firstHeartbeat = statement(`
  with locked as materialized (select id from logs where id = $1 and not sealed for update)
  update calls set beat_at = $2 from locked where calls.id = locked.id`)

/** Of a call that no worker ran. Not for one that ends in a concurrent transaction. */
export const setFirstHeartbeat = (database: Queryable, id: string, now: Date) =>
  database.rows(firstHeartbeat, id, now)

// What a transaction holds has just beaten, or ends: nobody waits for it. A trigger passes on what is written to calls,
// which is done while a gateway runs that reads heartbeats only there.
const beat = (beating: string) => `
  with beating as materialized (${beating} order by id),
  free as materialized (
    select call from call_heartbeats where call = any(${opaque('$1::text[]')}) order by call for update skip locked
  ),
  passed_on as (
    update calls set beat_at = beating.at from beating
    where calls.id = beating.id and ended_at is null and exists (select from gateways where not reads_heartbeats)
    returning calls.id
  )
  update call_heartbeats set beat_at = beating.at from beating
  where call = beating.id and not exists (select from passed_on where passed_on.id = call)
    and call in (select call from free)`

const beating = `
  select id, at from unnest(${opaque('$1::text[]')}, ${opaque('$2::timestamptz[]')}) as beating (id, at)`
const heartbeatsWithin = statement(beat(beating))
/** In a transaction of its own, which does not wait for the disk: one that a crash loses is followed by another. */
export const heartbeats = statement(
  beat(`${beating}, (select set_config('synchronous_commit', 'off', true)) as unawaited`),
)

export interface Heartbeat {
  id: string
  at: Date
}

/** Of calls that a worker runs; one that has ended has no row. */
export const setHeartbeats = (database: Database | Transaction, beats: readonly Heartbeat[]) =>
  database.rows(
    'isTransaction' in database ? heartbeatsWithin : heartbeats,
    beats.map(({ id }) => id),
    beats.map(({ at }) => at),
  )

const take = statement(`update calls set beat_at = $2, worker = $3, runner = $4 where id = $1`)

export const setWorker = (
  tx: Transaction,
  id: string,
  now: Date,
  { worker, runner }: { worker: string | undefined; runner: string },
) => tx.rows(take, id, now, worker, runner)

const silent = statement<{ id: string }>(`
  select call as id from call_heartbeats where beat_at <= $1 order by beat_at limit 100`)

/** Calls whose workers sent no heartbeat since then, the longest silent first. */
export const findSilent = (database: Queryable, since: Date) => database.rows(silent, since)

export const silentCheck = (since: Date): Check => checkOf(silent, since)

const record = statement<CallRow>(`select ${callColumns} from calls c where c.id = $1`)

export const findRecord = (database: Queryable, id: string) => database.row(record, id)

const answered = statement(`select from entries where ${ofLog('$1')} and type = 'call.answered'`)

/** Of a call that was dialled. */
export const wasAnswered = async (tx: Transaction, id: string) => (await tx.rows(answered, id)).length > 0

const asked = statement<{ id: string }>(`
  select asked ->> 'id' as id from entries, json_array_elements(entry::json -> 'data' -> 'toolCalls') as asked
  where ${ofLog('$1')} and type = 'llm.toolCall'`)

/** The ids of all tool calls in a call. */
export const listToolIds = async (tx: Transaction, call: string) =>
  (await tx.rows(asked, call)).map(({ id }) => id)

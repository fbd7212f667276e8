import type { PreparedSet } from '@switchroom/contract/call-frames'
import type { Environment } from '@switchroom/contract/scopes'
import type { Offer } from '../../agents/apps/register-frame.ts'
import { statement, type Queryable } from '../../database/database.ts'
import { joinLiveGateway, liveRegistrations, type LiveGateways } from '../../database/gateway-liveness.ts'
import { callColumns, type CallRow } from '../records/call-object.ts'
import type { KeptEntry } from '../log/entries.ts'
import { ofLog } from '../log/months.ts'

const registered = liveRegistrations()
/** The newest app socket for the call `d`: a person's own copy of the agent comes before the org's. */
const newest = `
  select r.socket from ${registered}
  where r.org = d.org and r.env = d.env and r.agent = d.agent and r.holder in (d.holder, '')
  order by r.holder = '', r.ordinal desc limit 1`
/** Whether the socket of the call `d` is connected and still serves its agent. */
const isAssigned = `
  exists (
    select from app_sockets s
    ${joinLiveGateway('s.gateway')}
    left join registrations r on r.socket = s.id and r.agent = d.agent
    where s.id = d.socket and (d.by_line or r.socket is not null)
  )`

const insert = statement<{ call: string }>(`
  insert into driven_calls (call, org, env, agent, holder)
  select id, org, env, agent, holder from calls where id = $1
  on conflict (call) do nothing
  returning call`)

/** Without a socket yet. */
export const insertAssignment = (database: Queryable, call: string) => database.row(insert, call)

const toLine = statement<{ gateway: string | null }>(`
  with assigned as (
    insert into driven_calls (call, org, env, agent, holder, socket, by_line)
    select id, org, env, $2, holder, $3, true from calls where id = $1
    on conflict (call) do update
    set agent = excluded.agent, socket = excluded.socket, by_line = true, done = false
  )
  select gateway from app_sockets where id = $3`)

export const assignToLine = (tx: Queryable, call: string, agent: string, socket: string) =>
  tx.row(toLine, call, agent, socket)

const toAgent = statement(`
  insert into driven_calls (call, org, env, agent, holder, told)
  select c.id, c.org, c.env, $2, c.holder, l.seq from calls c join logs l on l.id = c.id where c.id = $1
  on conflict (call) do update
  set agent = excluded.agent, socket = null, by_line = false, told = excluded.told, done = false`)

/** The app will receive the entries that come after those in the log now. */
export const assignToAgent = (tx: Queryable, call: string, agent: string) => tx.rows(toAgent, call, agent)

export interface AssignmentRow {
  call: string
  socket: string | null
  agent: string
  /** The gateway of its socket; null if the socket is closed or no longer serves the agent. */
  gateway: string | null
  app: string | null
  offer: Offer | null
  by_line: boolean
  done: boolean
  prepared: PreparedSet
  /** The last `seq` of the call's log. */
  seq: number
}

const find = statement<AssignmentRow & CallRow>(`
  select d.call, d.socket, d.by_line, d.done, d.prepared, l.seq, r.app, r.offer,
    case when d.by_line or r.socket is not null then s.gateway end as gateway, ${callColumns}
  from driven_calls d
  join calls c on c.id = d.call
  join logs l on l.id = d.call
  left join (app_sockets s ${joinLiveGateway('s.gateway')}) on s.id = d.socket
  left join registrations r on r.socket = s.id and r.agent = d.agent
  where d.call = $3`)

export const findAssignment = (database: Queryable, { own, since }: LiveGateways, call: string) =>
  database.row(find, own, since, call)

const pass = statement<{ agent: string; socket: string | null; gateway: string | null }>(`
  with due as materialized (
    select d.* from driven_calls d
    where d.call = $3 and d.socket is not distinct from $4 and not d.by_line and not d.done and not ${isAssigned}
    for update
  ), passed as (
    update driven_calls d set socket = next_app_socket(due.org, due.env, due.agent, due.holder, $1, $2)
    from due where d.call = due.call
    returning d.agent, d.socket
  )
  select passed.agent, passed.socket, s.gateway from passed left join app_sockets s on s.id = passed.socket`)

/** From a socket that no longer serves the call to the next one; undefined if another gateway was faster. */
export const reassign = (
  database: Queryable,
  { own, since }: LiveGateways,
  call: string,
  from: string | null,
) => database.row(pass, own, since, call, from)

const begin = statement<{ told: number | null }>(`
  with before as (select call, told from driven_calls where call = $1 and socket = $2 and not done for update)
  update driven_calls d
  set told = case when $3 then coalesce(before.told, l.seq) end, acknowledged = d.acknowledged or $3
  from before join logs l on l.id = before.call where d.call = before.call
  returning before.told`)

/**
 * The `seq` sent or acknowledged so far, null if it is unknown; undefined if the call is assigned to another socket. It
 * is unknown from here on, unless the app acknowledges.
 */
export const startSending = (database: Queryable, call: string, socket: string, acknowledges: boolean) =>
  database.row(begin, call, socket, acknowledges)

const acknowledge = statement(`
  update driven_calls d set told = acked.seq
  from unnest($1::text[], $2::text[], $3::integer[]) as acked (call, socket, seq)
  where d.call = acked.call and d.socket = acked.socket and d.told < acked.seq`)

export const storeAcknowledged = (
  database: Queryable,
  acknowledged: readonly { call: string; socket: string; doneUpTo: number | null }[],
) =>
  database.rows(
    acknowledge,
    acknowledged.map(({ call }) => call),
    acknowledged.map(({ socket }) => socket),
    acknowledged.map(({ doneUpTo }) => doneUpTo),
  )

const stop = statement(`
  update driven_calls set told = $3, done = $4
  where call = $1 and (socket = $2 or (socket is null and coalesce(told, -1) < $3))`)

/** Also if another gateway noticed first that the socket closed, and no app was there to take the call. */
export const stopSending = (
  database: Queryable,
  call: string,
  socket: string,
  doneUpTo: number,
  isDone: boolean,
) => database.rows(stop, call, socket, doneUpTo, isDone)

// As a join of sets: asked for each open call by itself it takes as long as there are calls.
const unassigned = statement<{ call: string; socket: string | null }>(`
  with serving as materialized (select r.socket, r.org, r.env, r.agent, r.holder from ${registered})
  select d.call, d.socket from driven_calls d
  left join serving on serving.socket = d.socket and serving.agent = d.agent
  where not d.done and not d.by_line and serving.socket is null and (
    d.socket is not null or (d.org, d.env, d.agent, d.holder) in (select org, env, agent, holder from serving)
    or (d.org, d.env, d.agent, '') in (select org, env, agent, holder from serving)
  )`)

/** Calls whose socket is closed, and unassigned calls that an app could take by now. */
export const listUnassigned = (database: Queryable, { own, since }: LiveGateways) =>
  database.rows(unassigned, own, since)

const served = statement<{ call: string }>(`
  select d.call from driven_calls d where d.call = any($3::text[]) and (${isAssigned} or exists (${newest}))`)

/** Those of the calls that an app is connected for. */
export const listServed = async (
  database: Queryable,
  { own, since }: LiveGateways,
  calls: readonly string[],
) => (await database.rows(served, own, since, calls)).map(({ call }) => call)

const unassignedOfAgent = statement<{ call: string; socket: string | null }>(`
  select d.call, d.socket from driven_calls d
  where d.org = $3 and d.env = $4 and d.agent = $5 and not d.done and not d.by_line and not ${isAssigned}`)

export const listUnassignedOf = (
  database: Queryable,
  { own, since }: LiveGateways,
  { org, env, agent }: { org: string; env: Environment; agent: string },
) => database.rows(unassignedOfAgent, own, since, org, env, agent)

const remove = statement(`
  delete from driven_calls d using calls c
  where c.id = d.call and c.ended_at < $1 and (d.done or not d.acknowledged or c.ended_at < $2)`)

/** Of calls that ended before `before`; those with events that an app has not acknowledged only before `missedBefore`. */
export const deleteEnded = (database: Queryable, before: Date, missedBefore: Date) =>
  database.rows(remove, before, missedBefore)

const ofInstance = statement<{ socket: string; gateway: string }>(`
  select s.id as socket, s.gateway from ${registered}
  where r.org = $3 and r.env = $4 and r.agent = $5 and (r.offer ->> 'instance' = $6 or r.socket = $6)
  order by r.ordinal desc limit 1`)

/** Where the app's process is connected now. */
export const findInstance = (
  database: Queryable,
  { own, since }: LiveGateways,
  { org, env, agent }: { org: string; env: Environment; agent: string },
  instance: string,
) => database.row(ofInstance, own, since, org, env, agent, instance)

const record = statement<CallRow>(`select ${callColumns} from calls c where c.id = $1`)

export const findRecord = (database: Queryable, call: string) => database.row(record, call)

const prepare = statement<{ prepared: PreparedSet }>(`
  update driven_calls set prepared = prepared || $2::jsonb where call = $1 returning prepared`)

/** Merged over the app's earlier changes. */
export const changePrepared = (database: Queryable, call: string, set: string) =>
  database.row(prepare, call, set)

const describe = statement(`update calls set metadata = $2::json where id = $1`)

export const setMetadata = (database: Queryable, call: string, metadata: string) =>
  database.rows(describe, call, metadata)

/** A call that an app names in a frame. */
export interface NamedCall {
  id: string
  org: string
  env: Environment
  agent: string
  channel: string
  direction: 'inbound' | 'outbound'
  caller: string | null
  called: string | null
  contact: string | null
  state: string
}

const named = statement<NamedCall>(`
  select id, org, env, agent, channel, direction, caller, called, contact, state from calls
  where id = $1 and org = $2 and env = $3 and ($4 = '' or holder = $4)`)

/** The org's own app may name any of its calls, a person's app only that person's calls. */
export const findNamedCall = (
  database: Queryable,
  call: string,
  { org, env, holder }: { org: string; env: Environment; holder: string },
) => database.row(named, call, org, env, holder)

const asked = statement<{ name: string }>(`
  select tool ->> 'name' as name
  from entries, json_array_elements(entry::json -> 'data' -> 'toolCalls') as tool
  where ${ofLog('$1')} and type = 'llm.toolCall' and tool ->> 'id' = $2
  limit 1`)

/** The tool that the model asked for under this id. */
export const findAsked = (database: Queryable, call: string, id: string) => database.row(asked, call, id)

const toolCall = statement<{ entry: string }>(`
  select entry from entries
  where ${ofLog('$1')} and type = 'llm.toolCall' and exists (
    select from json_array_elements(entry::json -> 'data' -> 'toolCalls') as tool where tool ->> 'id' = $2
  )
  limit 1`)

export const findToolCall = (database: Queryable, call: string, id: string) =>
  database.row(toolCall, call, id)

const results = statement<{ entry: string }>(`
  select entry from entries
  where ${ofLog('$1')} and type = 'tool.result' and entry::json -> 'data' ->> 'id' = any($2::text[])`)

export const findResults = (database: Queryable, call: string, ids: readonly string[]) =>
  database.rows(results, call, ids)

const pending = statement<KeptEntry>(`
  select seq, type, entry from entries asked
  where ${ofLog('$1', 'asked')} and type = 'llm.toolCall' and seq <= $2 and entry::json -> 'data' ->> 'app' = $3 and exists (
    select from json_array_elements(entry::json -> 'data' -> 'toolCalls') as tool
    where not exists (
      select from entries result
      where ${ofLog('$1', 'result')} and result.type = 'tool.result'
        and result.entry::json -> 'data' ->> 'id' = tool ->> 'id'
    )
  )
  order by seq`)

/** Tool calls that this app received and has not answered. */
export const listUnanswered = (database: Queryable, call: string, upTo: number, app: string) =>
  database.rows(pending, call, upTo, app)

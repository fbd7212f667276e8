import type { PreparedSet } from '@switchroom/contract/call-frames'
import type { Environment } from '@switchroom/contract/scopes'
import type { Offer } from '../../agents/apps/register-frame.ts'
import { statement, type Queryable } from '../../database/database.ts'
import { callColumns, type CallRow } from '../records/call-object.ts'
import type { KeptEntry } from '../log/stamping.ts'

/** Which gateways count: the one that asks, and those that were seen lately. */
export interface Alive {
  own: string
  since: Date
}

const isAlive = `g.id = s.gateway and (g.id = $1 or g.seen_at > $2)`
const holdings = `
  registrations r
  join app_sockets s on s.id = r.socket
  join gateways g on ${isAlive}`
/** The newest holder of a driven call `d`: a copy of one's own comes before the org's. */
const newest = `
  select r.socket from ${holdings}
  where r.org = d.org and r.env = d.env and r.agent = d.agent and r.holder in (d.holder, '')
  order by r.holder = '', r.ordinal desc limit 1`
/** Whether the socket of a driven call `d` is there and may drive it. */
const isDriven = `
  exists (
    select from app_sockets s
    join gateways g on ${isAlive}
    left join registrations r on r.socket = s.id and r.agent = d.agent
    where s.id = d.socket and (d.by_line or r.socket is not null)
  )`

const insert = statement<{ call: string }>(`
  insert into driven_calls (call, org, env, agent, holder)
  select id, org, env, agent, holder from calls where id = $1
  on conflict (call) do nothing
  returning call`)

/** Nobody drives it yet. */
export const insertDriven = (database: Queryable, call: string) => database.row(insert, call)

const toLine = statement<{ gateway: string | null }>(`
  with given as (
    insert into driven_calls (call, org, env, agent, holder, socket, by_line)
    select id, org, env, $2, holder, $3, true from calls where id = $1
    on conflict (call) do update
    set agent = excluded.agent, socket = excluded.socket, by_line = true, done = false
  )
  select gateway from app_sockets where id = $3`)

export const giveToLine = (tx: Queryable, call: string, agent: string, socket: string) =>
  tx.row(toLine, call, agent, socket)

const toAgent = statement(`
  insert into driven_calls (call, org, env, agent, holder, told)
  select c.id, c.org, c.env, $2, c.holder, l.seq from calls c join logs l on l.id = c.id where c.id = $1
  on conflict (call) do update
  set agent = excluded.agent, socket = null, by_line = false, told = excluded.told, done = false`)

/** Whoever will drive it is told of what comes after what the log holds now. */
export const giveToAgent = (tx: Queryable, call: string, agent: string) => tx.rows(toAgent, call, agent)

export interface DrivenRow {
  call: string
  socket: string | null
  agent: string
  /** Where its socket is; null where that is gone, or holds the agent no longer. */
  gateway: string | null
  app: string | null
  offer: Offer | null
  by_line: boolean
  done: boolean
  prepared: PreparedSet
  /** Of the call's log. */
  seq: number
}

const find = statement<DrivenRow & CallRow>(`
  select d.call, d.socket, d.by_line, d.done, d.prepared, l.seq, r.app, r.offer,
    case when d.by_line or r.socket is not null then s.gateway end as gateway, ${callColumns}
  from driven_calls d
  join calls c on c.id = d.call
  join logs l on l.id = d.call
  left join (app_sockets s join gateways g on ${isAlive}) on s.id = d.socket
  left join registrations r on r.socket = s.id and r.agent = d.agent
  where d.call = $3`)

export const findDriven = (database: Queryable, { own, since }: Alive, call: string) =>
  database.row(find, own, since, call)

const pass = statement<{ agent: string; socket: string | null; gateway: string | null }>(`
  with passed as (
    update driven_calls d set socket = (${newest})
    where d.call = $3 and d.socket is not distinct from $4 and not d.by_line and not d.done and not ${isDriven}
    returning d.agent, d.socket
  )
  select passed.agent, passed.socket, s.gateway from passed left join app_sockets s on s.id = passed.socket`)

/** From the socket it had, which drives it no longer, to the newest holder. Nothing where another was faster. */
export const passOn = (database: Queryable, { own, since }: Alive, call: string, from: string | null) =>
  database.row(pass, own, since, call, from)

const begin = statement<{ told: number | null }>(`
  with before as (select call, told from driven_calls where call = $1 and socket = $2 and not done for update)
  update driven_calls d set told = null from before where d.call = before.call
  returning before.told`)

/** Up to where others were told before, null where nobody said; nothing where another socket drives it. */
export const beginTelling = (database: Queryable, call: string, socket: string) =>
  database.row(begin, call, socket)

const letGo = statement(`
  update driven_calls set told = $3, done = $4
  where call = $1 and (socket = $2 or (socket is null and told is null))`)

/** Also where another gateway saw first that the socket is gone, and nobody was there to take the call. */
export const stopTelling = (
  database: Queryable,
  call: string,
  socket: string,
  told: number,
  isDone: boolean,
) => database.rows(letGo, call, socket, told, isDone)

const lost = statement<{ call: string; socket: string | null }>(`
  select d.call, d.socket from driven_calls d
  where not d.done and not d.by_line and not ${isDriven} and (d.socket is not null or exists (${newest}))`)

/** The calls of sockets that are gone, and those that somebody could drive by now. */
export const listLost = (database: Queryable, { own, since }: Alive) => database.rows(lost, own, since)

const lostOfAgent = statement<{ call: string; socket: string | null }>(`
  select d.call, d.socket from driven_calls d
  where d.org = $3 and d.env = $4 and d.agent = $5 and not d.done and not d.by_line and not ${isDriven}`)

export const listLostOf = (
  database: Queryable,
  { own, since }: Alive,
  { org, env, agent }: { org: string; env: Environment; agent: string },
) => database.rows(lostOfAgent, own, since, org, env, agent)

const forget = statement(`
  delete from driven_calls d using calls c where c.id = d.call and c.ended_at < $1`)

export const forgetEnded = (database: Queryable, before: Date) => database.rows(forget, before)

const ofInstance = statement<{ socket: string; gateway: string }>(`
  select s.id as socket, s.gateway from ${holdings}
  where r.org = $3 and r.env = $4 and r.agent = $5 and (r.offer ->> 'instance' = $6 or r.socket = $6)
  order by r.ordinal desc limit 1`)

/** Where the app's process is connected now. */
export const findInstance = (
  database: Queryable,
  { own, since }: Alive,
  { org, env, agent }: { org: string; env: Environment; agent: string },
  instance: string,
) => database.row(ofInstance, own, since, org, env, agent, instance)

const head = statement<CallRow>(`select ${callColumns} from calls c where c.id = $1`)

export const findHead = (database: Queryable, call: string) => database.row(head, call)

const prepare = statement<{ prepared: PreparedSet }>(`
  update driven_calls set prepared = prepared || $2::jsonb where call = $1 returning prepared`)

/** Over what the app changed before. */
export const changePrepared = (database: Queryable, call: string, set: string) =>
  database.row(prepare, call, set)

const describe = statement(`update calls set metadata = $2::json where id = $1`)

export const setMetadata = (database: Queryable, call: string, metadata: string) =>
  database.rows(describe, call, metadata)

/** A call that an app speaks of. */
export interface SpokenOf {
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

const spokenOf = statement<SpokenOf>(`
  select id, org, env, agent, channel, direction, caller, called, contact, state from calls
  where id = $1 and org = $2 and env = $3 and ($4 = '' or holder = $4)`)

/** The org's own app may serve any holder; a person's app that person's calls alone. */
export const findSpokenOf = (
  database: Queryable,
  call: string,
  { org, env, holder }: { org: string; env: Environment; holder: string },
) => database.row(spokenOf, call, org, env, holder)

const asked = statement<{ name: string }>(`
  select tool ->> 'name' as name
  from entries, json_array_elements(entry::json -> 'data' -> 'toolCalls') as tool
  where log = $1 and type = 'llm.toolCall' and tool ->> 'id' = $2
  limit 1`)

/** The tool that the model asked for under this id. */
export const findAsked = (database: Queryable, call: string, id: string) => database.row(asked, call, id)

const toolCall = statement<{ entry: string }>(`
  select entry from entries
  where log = $1 and type = 'llm.toolCall' and exists (
    select from json_array_elements(entry::json -> 'data' -> 'toolCalls') as tool where tool ->> 'id' = $2
  )
  limit 1`)

export const findToolCall = (database: Queryable, call: string, id: string) =>
  database.row(toolCall, call, id)

const results = statement<{ entry: string }>(`
  select entry from entries
  where log = $1 and type = 'tool.result' and entry::json -> 'data' ->> 'id' = any($2::text[])`)

export const findResults = (database: Queryable, call: string, ids: readonly string[]) =>
  database.rows(results, call, ids)

const pending = statement<KeptEntry>(`
  select seq, type, entry from entries asked
  where log = $1 and type = 'llm.toolCall' and seq <= $2 and entry::json -> 'data' ->> 'app' = $3 and exists (
    select from json_array_elements(entry::json -> 'data' -> 'toolCalls') as tool
    where not exists (
      select from entries result
      where result.log = asked.log and result.type = 'tool.result'
        and result.entry::json -> 'data' ->> 'id' = tool ->> 'id'
    )
  )
  order by seq`)

/** What this app was asked for and has not answered. */
export const listUnanswered = (database: Queryable, call: string, upTo: number, app: string) =>
  database.rows(pending, call, upTo, app)

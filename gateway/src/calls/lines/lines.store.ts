import type { Entry, LineTurn } from '@switchroom/contract/log'
import type { Environment } from '@switchroom/contract/scopes'
import { checkOf, type Check } from '../../database/due-checks.ts'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'
import { joinLiveGateway, type LiveGateways } from '../../database/gateway-liveness.ts'
import { ofLog } from '../log/months.ts'
import { callColumns, type CallRow } from '../records/call-object.ts'

/** A line is live while its app is connected in the org and environment of its number. */
const live = `
  lines l
  join app_sockets s on s.id = l.socket
  ${joinLiveGateway('s.gateway')}
  join numbers n on n.number = l.number and n.org = s.org and n.env = s.env`

export interface LineRow {
  number: string
  socket: string
  extension_ms: number
}

const find = statement<LineRow>(`select l.number, l.socket, l.extension_ms from ${live} where l.number = $3`)

export const findLine = (database: Queryable, { own, since }: LiveGateways, number: string) =>
  database.row(find, own, since, number)

const lock = statement(`select number from numbers where number = $1 for no key update`)

/** Locked, so that of two apps that register it concurrently the second sees the first. */
export const lockNumber = (tx: Transaction, number: string) => tx.rows(lock, number)

const put = statement(`
  insert into lines (number, socket, extension_ms) values ($1, $2, $3)
  on conflict (number) do update set socket = excluded.socket, extension_ms = excluded.extension_ms`)

export const putLine = (tx: Transaction, { number, socket, extension_ms }: LineRow) =>
  tx.rows(put, number, socket, extension_ms)

/** A call that a line owns. */
export interface OwnedCall {
  id: string
  org: string
  env: Environment
  agent: string
  holder: string
  line: string
  line_told: boolean
}

const ownedColumns = `c.id, c.org, c.env, c.agent, c.holder, c.line, c.line_told`

const ownedBy = statement<OwnedCall>(`
  select ${ownedColumns} from calls c join lines l on l.number = c.line
  where c.id = $1 and l.socket = $2 and c.ended_at is null`)

export const findOwnedBy = (database: Queryable, call: string, socket: string) =>
  database.row(ownedBy, call, socket)

const owned = statement<OwnedCall>(`
  select ${ownedColumns} from calls c where c.id = $1 and c.line is not null and c.ended_at is null`)

export const findOwned = (database: Queryable, call: string) => database.row(owned, call)

const onLine = statement<Pick<OwnedCall, 'line' | 'line_told'> & CallRow>(`
  select c.line, c.line_told, ${callColumns} from calls c where c.line = $1 and c.ended_at is null`)

export const listOnLine = (database: Queryable, number: string) => database.rows(onLine, number)

const abandoned = statement<OwnedCall>(`
  select ${ownedColumns} from calls c
  where c.line is not null and c.ended_at is null and not exists (select from ${live} where l.number = c.line)`)

/** The calls of lines whose apps have disconnected. */
export const listAbandoned = (database: Queryable, { own, since }: LiveGateways) =>
  database.rows(abandoned, own, since)

export const abandonedCheck = ({ own, since }: LiveGateways): Check => checkOf(abandoned, own, since)

const take = statement(`update calls set line = $2 where id = $1`)

export const setLine = (tx: Transaction, call: string, line: string) => tx.rows(take, call, line)

const extend = statement<CallRow>(`
  update calls c set extension = coalesce($2, extension), line_told = true where c.id = $1
  returning ${callColumns}`)

export const setExtension = (tx: Transaction, call: string, extension: string | null) =>
  tx.row(extend, call, extension)

const route = statement<CallRow>(`
  update calls c set line = null, routed_from = c.line, line_transcript = $2 where c.id = $1
  returning ${callColumns}`)

export const setRouted = (tx: Transaction, call: string, transcript: readonly LineTurn[]) =>
  tx.row(route, call, JSON.stringify(transcript))

const routedBy = statement<CallRow>(`
  select ${callColumns} from calls c
  join lines l on l.number = c.routed_from
  join app_sockets s on s.id = l.socket and s.org = c.org and s.env = c.env
  where c.id = $1 and l.socket = $2 and c.agent = $3`)

/** A call that the line of this socket has routed to this agent. */
export const findRoutedBy = (database: Queryable, call: string, socket: string, agent: string) =>
  database.row(routedBy, call, socket, agent)

const turns = statement<{ entry: string }>(`
  select entry from entries where ${ofLog('$1')} and type in ('user.message', 'agent.message') order by seq`)

export const listTurns = async (tx: Transaction, call: string): Promise<Entry[]> =>
  (await tx.rows(turns, call)).map(({ entry }) => JSON.parse(entry) as Entry)

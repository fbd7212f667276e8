import type { CallState } from '@switchroom/contract/log'
import type { Environment } from '@switchroom/contract/scopes'
import type { Session } from '@switchroom/contract/sessions'
import { statement, type Queryable, type Value } from '../../database/database.ts'

/** The filters of a list of calls. */
export interface Wanted {
  org: string
  env: Environment
  agent?: string | undefined
  state?: CallState | undefined
  channel?: string | undefined
  /** Tests alone, or all but tests. */
  test: boolean
  reason?: string | undefined
  hasErrors?: boolean
  /** Epoch seconds of when they were opened. */
  from?: number | undefined
  to?: number | undefined
  /** Only calls opened before this one. */
  before?: number | undefined
}

export interface ListedSession extends Session {
  ordinal: number
}

const epoch = (instant: string) => `extract(epoch from ${instant})::float8`

export const sessionColumns = `
  id as call, agent, env, channel, direction, caller as "from", called as "to", contact, state, reason,
  ${epoch('opened_at')} as started_at, ${epoch('ended_at')} as ended_at,
  ${epoch('ended_at - opened_at')} as duration_s, turns, errors, config_version, canary, test, ordinal`

/** Adds a value to a statement, and answers its placeholder. */
export type Place = (value: Value) => string

/** The call of the org that was the first or the last one opened then, by the index of that. */
const opened = (then: string, order: '' | 'desc') =>
  `(select ordinal from calls where org = $1 and env = $2 and opened_at ${then} order by opened_at ${order} limit 1)`

/** The statement has only the filters in use, so that PostgreSQL finds the index for them. */
export function made<Row = ListedSession>(wanted: Wanted, textOf: (filters: string, place: Place) => string) {
  const values: Value[] = [wanted.org, wanted.env]
  const place: Place = (value) => `$${values.push(value)}`
  const filters = ['org = $1 and env = $2', wanted.test ? 'test' : 'not test']
  if (wanted.agent !== undefined) filters.push(`agent = ${place(wanted.agent)}`)
  if (wanted.channel !== undefined) filters.push(`channel = ${place(wanted.channel)}`)
  if (wanted.reason !== undefined) filters.push(`reason = ${place(wanted.reason)}`)
  if (wanted.hasErrors) filters.push('errors > 0')
  if (wanted.from !== undefined)
    filters.push(`ordinal >= ${opened(`>= to_timestamp(${place(wanted.from)})`, '')}`)
  if (wanted.to !== undefined)
    filters.push(`ordinal <= ${opened(`< to_timestamp(${place(wanted.to)})`, 'desc')}`)
  if (wanted.before !== undefined) filters.push(`ordinal < ${place(wanted.before)}::bigint`)
  if (wanted.state !== undefined) filters.push(`state = ${place(wanted.state)}`)
  if (wanted.state === 'open' || wanted.state === 'held') filters.push(`state <> 'ended'`) // names the index
  return { query: statement<Row>(textOf(filters.join(' and '), place)), values }
}

/** Newest first. */
export const listing = (wanted: Wanted, limit: number) =>
  made(wanted, (filters, place) => {
    return `select ${sessionColumns} from calls where ${filters} order by ordinal desc limit ${place(limit)}`
  })

export const listSessions = (database: Queryable, { query, values }: ReturnType<typeof listing>) =>
  database.rows(query, ...values)

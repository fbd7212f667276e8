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
  /** Only calls opened before this one. */
  before?: number | undefined
}

/** A search; a call that matches either is found. */
export interface Sought {
  /** The call's id, or words that one turn contains. */
  words: string
  /** The first characters of a number. */
  number: string | undefined
}

export interface ListedSession extends Session {
  ordinal: number
}

const epoch = (instant: string) => `extract(epoch from ${instant})::float8`

const columns = `
  id as call, agent, env, channel, direction, caller as "from", called as "to", contact, state, reason,
  ${epoch('opened_at')} as started_at, ${epoch('ended_at')} as ended_at,
  ${epoch('ended_at - opened_at')} as duration_s, turns, errors, config_version, canary, ordinal`

type Place = (value: Value) => string

/** The statement has only the filters in use, so that PostgreSQL finds the index for them. */
function made<Row = ListedSession>(wanted: Wanted, textOf: (filters: string, place: Place) => string) {
  const values: Value[] = [wanted.org, wanted.env]
  const place: Place = (value) => `$${values.push(value)}`
  const filters = ['org = $1 and env = $2']
  if (wanted.agent !== undefined) filters.push(`agent = ${place(wanted.agent)}`)
  if (wanted.channel !== undefined) filters.push(`channel = ${place(wanted.channel)}`)
  if (wanted.before !== undefined) filters.push(`ordinal < ${place(wanted.before)}::bigint`)
  if (wanted.state !== undefined) filters.push(`state = ${place(wanted.state)}`)
  if (wanted.state === 'open' || wanted.state === 'held') filters.push(`state <> 'ended'`) // names the index
  return { query: statement<Row>(textOf(filters.join(' and '), place)), values }
}

/** Newest first. */
export const listing = (wanted: Wanted, limit: number) =>
  made(wanted, (filters, place) => {
    return `select ${columns} from calls where ${filters} order by ordinal desc limit ${place(limit)}`
  })

export async function isMoreThan(database: Queryable, wanted: Wanted, calls: number): Promise<boolean> {
  const { query, values } = made<object>(wanted, (filters, place) => {
    return `select from calls where ${filters} order by ordinal desc offset ${place(calls)} limit 1`
  })
  return (await database.row(query, ...values)) !== undefined
}

/** The turns of the org's calls; no other entry has its `org` set. */
const turns = `from entries where org = $1`
const holds = (words: string) => `org_words(org, entry::json -> 'data' ->> 'text') @> org_words($1, ${words})`

/** For each of a call's two numbers, whether it begins with these digits. */
function beginnings(number: string | undefined, place: Place): string[] {
  if (number === undefined) return []
  const [from, to] = [place(number), place(`${number}:`)] // a colon comes after the digits
  return ['caller', 'called'].map(
    (column) => `${column} collate "C" >= ${from} and ${column} collate "C" < ${to}`,
  )
}

/** Scans the newest calls only. */
export const searchOfNewest = (wanted: Wanted, { words, number }: Sought, limit: number, calls: number) =>
  made(wanted, (filters, place) => {
    const said = place(words)
    const ways = [
      `id = ${said}`,
      `(select bool_or(${holds(said)}) ${turns} and log = calls.id)`,
      ...beginnings(number, place),
    ]
    return `
      select ${columns}
      from (select * from calls where ${filters} order by ordinal desc limit ${place(calls)}) as calls
      where ${ways.join(' or ')}
      order by ordinal desc limit ${place(limit)}`
  })

/** Finds ids first, each condition by its own index, and then their calls. */
export const searchOfAll = (wanted: Wanted, { words, number }: Sought, limit: number) =>
  made(wanted, (filters, place) => {
    const said = place(words)
    const ways = [
      `select ${said} as id`,
      `select log ${turns} and ${holds(said)}`,
      ...beginnings(number, place).map((begins) => `select id from calls where org = $1 and ${begins}`),
    ]
    return `
      with found as materialized (${ways.join(' union ')})
      select ${columns} from calls where ${filters} and id in (select id from found)
      order by ordinal desc limit ${place(limit)}`
  })

export const listSessions = (database: Queryable, { query, values }: ReturnType<typeof listing>) =>
  database.rows(query, ...values)

import { setTimeout as pause } from 'node:timers/promises'
import { Client, DatabaseError } from 'pg'
import type { Wait } from './watched-connections.ts'

/** What the database does for each process, if it says so. */
export type States = ReadonlyMap<number, string | null> | 'unknown' | 'unreached'

/** The other side of connections that wait for an answer. */
export interface Backends {
  states(waits: readonly Wait[]): Promise<States>
  /** What they did is undone, and what they locked is free; else both wait until the database notices, which may take hours. */
  endIdle(waits: readonly Wait[]): Promise<unknown>
}

const statesOf = `select pid, state from pg_stat_activity where pid = any($1)`
const endIdle = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where pid = any($1) and state like 'idle%' and usename = current_user and datname = current_database()`

interface State {
  pid: number
  state: string | null
}

/** Each connection has a process of PostgreSQL. */
export class PostgresBackends implements Backends {
  readonly #ask: Ask

  constructor(connectionString: string, answersWithinMs: number) {
    this.#ask = askOver(connectionString, answersWithinMs)
  }

  states(waits: readonly Wait[]): Promise<States> {
    return this.#ask(async (client) => {
      const { rows } = await client.query<State>(statesOf, [pidsOf(waits)])
      return new Map(rows.map(({ pid, state }) => [pid, state]))
    })
  }

  endIdle(waits: readonly Wait[]): Promise<unknown> {
    return this.#ask((client) => client.query(endIdle, [pidsOf(waits)]))
  }
}

/**
 * A pooler lends the processes, and does not say to whom: a statement may be slow, or wait for one of them. Only that
 * the pooler is not reached says that nothing is served. What a lost transaction locked is freed by its own time limit.
 */
export class PoolerBackends implements Backends {
  readonly #ask: Ask

  constructor(connectionString: string, answersWithinMs: number) {
    this.#ask = askOver(connectionString, answersWithinMs)
  }

  states(): Promise<States> {
    return this.#ask(async () => 'unknown' as const)
  }

  async endIdle() {}
}

const pidsOf = (waits: readonly Wait[]) => waits.map(({ pid }) => pid)

type Ask = <T>(work: (client: Client) => Promise<T>) => Promise<T | 'unknown' | 'unreached'>

/** Over a connection of its own. */
const askOver =
  (connectionString: string, answersWithinMs: number): Ask =>
  async (work) => {
    const client = new Client({
      connectionString,
      application_name: 'switchroom-watch',
      connectionTimeoutMillis: answersWithinMs,
      query_timeout: answersWithinMs,
    })
    client.on('error', () => {})
    try {
      await client.connect()
      return await work(client)
    } catch (error) {
      return error instanceof DatabaseError ? 'unknown' : 'unreached'
    } finally {
      await Promise.race([client.end().catch(() => {}), pause(answersWithinMs, undefined, { ref: false })])
    }
  }

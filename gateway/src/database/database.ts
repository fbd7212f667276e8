import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Span } from '@switchroom/telemetry/tracing'
import {
  DatabaseError,
  escapeLiteral,
  Pool,
  types,
  type PoolClient,
  type QueryConfig,
  type QueryResult,
} from 'pg'
import { secondMs } from '../foundation/clock.ts'
import { againAfterMs, retried } from './retries.ts'
import { straight, type Way } from './session-settings.ts'
import { commitSpan, endStatement, statementSpan } from './statement-spans.ts'
import { WatchedConnections } from './watched-connections.ts'

/** A statement that PostgreSQL parses and plans once per connection. */
export interface Statement<Row> {
  readonly name: string
  readonly text: string
  /** Only for the type of the rows it answers; never set. */
  readonly row?: Row
}

/** The name follows from the text, so that two statements can never share one by mistake. */
export const statement = <Row = never>(text: string): Statement<Row> => ({
  name: createHash('sha1').update(text).digest('hex'),
  text,
})

/**
 * An array of which PostgreSQL does not see how long it is: it would plan the statement anew for each length, which takes
 * longer than looking some rows up.
 */
export const opaque = (array: string) => `array(select unnest(${array}))`

/** A statement that answers nothing, with its values written into it: it shares a round trip with `begin` or `commit`. */
export interface Inlined {
  readonly inlined: string
}

export const inlined = (text: string, ...values: (string | number | Date | null)[]): Inlined => ({
  inlined: text.replace(/\$(\d+)/g, (_place, at: string) => literalOf(values[Number(at) - 1] ?? null)),
})

function literalOf(value: string | number | Date | null): string {
  if (value === null) return 'null'
  return typeof value === 'number'
    ? String(value)
    : escapeLiteral(typeof value === 'string' ? value : value.toISOString())
}

export type Value = string | number | boolean | null | undefined | Date | Buffer | readonly string[] | object

/** What a store talks to: the pool for a single statement, a transaction for several. */
export interface Queryable {
  readonly rows: <Row>(statement: Statement<Row>, ...values: Value[]) => Promise<Row[]>
  readonly row: <Row>(statement: Statement<Row>, ...values: Value[]) => Promise<Row | undefined>
}

/** Handed to whatever must not run outside a transaction. */
export interface Transaction extends Queryable {
  readonly isTransaction: true
  /** Runs it once everything is kept, and not at all when nothing is. */
  readonly afterCommit: (work: () => void) => void
  /** Written last of all, with the commit in one round trip. */
  readonly withCommit: (write: Inlined) => void
}

// A timestamp keeps its wire form from the row to the answer.
const timestamptz = (text: string) => new Date(text).toISOString()
types.setTypeParser(types.builtins.TIMESTAMPTZ, timestamptz)
types.setTypeParser(types.builtins.INT8, Number)

type Ask = (query: QueryConfig) => Promise<QueryResult>

function queryOn(ask: Ask, { keepsStatements }: Way): Queryable {
  const rows = async <Row>({ name, text }: Statement<Row>, ...values: Value[]) =>
    (await ask(keepsStatements ? { name, text, values } : { text, values })).rows as Row[]
  const row = async <Row>(query: Statement<Row>, ...values: Value[]) => (await rows(query, ...values))[0]
  return { rows, row }
}

export interface DatabaseOptions {
  /** The most connections that are open at once. */
  connections: number
  /** How long a statement waits for a connection. */
  freeWithinMs: number
  /** How long what is under way may take once it is closed. */
  closesWithinMs: number
  way: Way
}

const keepAliveAfterMs = 5 * secondMs

const anything = statement(`select 1`)
const givenUp = 'it did not answer'

/** One pool of connections. A gateway has several, of which none waits for another: see `pools.ts`. */
export class Database implements Queryable {
  readonly pool: Pool
  readonly connections: WatchedConnections
  readonly #closesWithinMs: number
  readonly #way: Way
  #isGivenUp = false
  readonly rows: Queryable['rows']
  readonly row: Queryable['row']

  constructor(
    connectionString: string,
    onIdleFailure: (error: Error) => void,
    {
      connections = 20,
      freeWithinMs = 5 * secondMs,
      closesWithinMs = 5 * secondMs,
      way = straight,
    }: Partial<DatabaseOptions> = {},
  ) {
    this.#closesWithinMs = closesWithinMs
    this.#way = way
    this.pool = new Pool({
      ...way.startup,
      connectionString,
      max: connections,
      connectionTimeoutMillis: freeWithinMs,
      pipeline: true,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveAfterMs,
    })
    // Without a listener a lost connection would end the process: an idle one of the pool, or one it has released.
    this.pool.on('error', onIdleFailure)
    this.pool.on('connect', (client) => client.on('error', () => {}))
    this.connections = new WatchedConnections(this.pool)
    const query = queryOn((config) => this.#ask(config), way)
    this.rows = query.rows
    this.row = query.row
  }

  /** With callbacks, as the pool's own `query` does it: each promise less counts on the way of every request. */
  #ask(config: QueryConfig, attempt = 1): Promise<QueryResult> {
    const span = statementSpan(config.text)
    return new Promise((resolve, reject) => {
      if (this.#isGivenUp) return reject(new DatabaseUnavailable(givenUp))
      this.pool.connect((unconnected, client) => {
        if (!client) {
          endStatement(span, unconnected)
          return reject(new DatabaseUnavailable(unconnected))
        }
        this.connections.begin(client)
        client.query(config, (error: Error | null, result) => {
          this.connections.end(client)
          endStatement(span, error)
          client.release(error !== null && !isStillUsable(error))
          if (!error) return resolve(result)
          const afterMs = againAfterMs(error, attempt)
          if (afterMs === undefined) return reject(failureOf(error))
          setTimeout(() => resolve(this.#ask(config, attempt + 1)), afterMs)
        })
      })
    })
  }

  async #askOn(client: PoolClient, config: QueryConfig, span?: Span): Promise<QueryResult> {
    this.connections.begin(client)
    let failure: unknown
    try {
      return await client.query(config)
    } catch (error) {
      failure = error
      throw failureOf(error)
    } finally {
      endStatement(span, failure)
      this.connections.end(client)
    }
  }

  async #connect(): Promise<PoolClient> {
    if (this.#isGivenUp) throw new DatabaseUnavailable(givenUp)
    try {
      return await this.pool.connect()
    } catch (error) {
      throw new DatabaseUnavailable(error)
    }
  }

  /**
   * Runs the work on one connection: all of it is kept, or nothing. It may run again from its beginning, if PostgreSQL
   * undid it because of a deadlock with others: what it does beside its statements must bear that.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return retried(() => this.#transaction(this.#way.begin, false, work))
  }

  /** The same, begun with a lock in one round trip, because each round trip keeps others waiting. */
  transactionHolding<T>(lock: Inlined, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return retried(() => this.#transaction(`${this.#way.begin}; ${lock.inlined}`, true, work))
  }

  async #transaction<T>(
    beginning: string,
    isAwaited: boolean,
    work: (tx: Transaction) => Promise<T>,
  ): Promise<T> {
    const client = await this.#connect()
    let broken = false
    const afterCommit: (() => void)[] = []
    const ending: string[] = []
    const begun = this.#askOn(client, { text: beginning })
    begun.catch(() => {}) // the work fails with it, and its caller gets the reason
    try {
      // Work that needs no lock need not wait: its first statement is sent with the beginning, and fails if that fails.
      if (isAwaited) await begun
      const result = await work({
        ...queryOn((config) => this.#askOn(client, config, statementSpan(config.text)), this.#way),
        isTransaction: true,
        afterCommit: (more) => void afterCommit.push(more),
        withCommit: (write) => void ending.push(write.inlined),
      })
      await this.#askOn(client, { text: [...ending, 'commit'].join('; ') }, commitSpan())
      for (const more of afterCommit) more()
      return result
    } catch (error) {
      const cause = await begun.then(
        () => error,
        (unbegun: unknown) => unbegun,
      )
      await this.#askOn(client, { text: 'rollback' }).catch(() => (broken = true))
      throw cause
    } finally {
      client.release(broken)
    }
  }

  /** Whether the database answers now. */
  async answers(): Promise<boolean> {
    const answered = this.rows(anything).then(
      () => true,
      () => false,
    )
    return Promise.race([answered, pause(2000, false, { ref: false })])
  }

  /** What waits for the database fails, and so does whatever asks it from now on. */
  giveUp() {
    this.#isGivenUp = true
    this.connections.giveUpAll()
  }

  /** What a network has silenced is given up, so that a stop ends. */
  async close() {
    setTimeout(() => this.connections.giveUpAll(), this.#closesWithinMs).unref()
    await this.pool.end()
  }
}

/** The database cannot serve now: it is not reached, or no connection came free in time. */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown) {
    super(`the database cannot serve now: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
  }
}

/** Of a statement that PostgreSQL refused; after anything else the connection is given up. */
const isStillUsable = (error: Error) => error instanceof DatabaseError && error.severity === 'ERROR'

/** What the driver says, in words alone, when a connection is gone. */
const lostConnection = /^(?:Connection terminated|Query read timeout|Client (?:has encountered|was closed))/

/** What a statement failed with; an error without a code of PostgreSQL's is of the connection, or of a value. */
function failureOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseError || error instanceof DatabaseUnavailable)
    return error
  const isLost = 'syscall' in error || 'code' in error || lostConnection.test(error.message)
  return isLost ? new DatabaseUnavailable(error) : error
}

/** PostgreSQL's classes of errors for lost connections, for what is used up (connections, memory, disk), and for a stop. */
const unavailableClasses = new Set(['08', '53', '57'])

/** Whether the database could not serve, so that the same request may well succeed in a moment. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable ||
  (error instanceof DatabaseError && unavailableClasses.has(error.code?.slice(0, 2) ?? ''))

/** The name of the constraint that a statement broke, if that is what happened. */
export const brokenConstraint = (error: unknown) =>
  error instanceof DatabaseError && error.code?.startsWith('23') ? error.constraint : undefined

import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { DatabaseError, escapeLiteral, Pool, types, type PoolClient } from 'pg'
import { retried } from './retries.ts'

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

function queryOn(client: Pool | PoolClient): Queryable {
  const rows = async <Row>({ name, text }: Statement<Row>, ...values: Value[]) => {
    const result = await client.query({ name, text, values })
    return result.rows as Row[]
  }
  const row = async <Row>(query: Statement<Row>, ...values: Value[]) => (await rows(query, ...values))[0]
  return { rows, row }
}

export class Database implements Queryable {
  readonly pool: Pool
  readonly rows: Queryable['rows']
  readonly row: Queryable['row']

  constructor(connectionString: string, onIdleFailure: (error: Error) => void) {
    this.pool = new Pool({
      connectionString,
      max: 20,
      connectionTimeoutMillis: 5000,
      pipeline: true,
      statement_timeout: 30_000,
      application_name: 'switchroom-gateway',
      options: '-c TimeZone=UTC',
    })
    // Without a listener a lost connection would end the process: an idle one of the pool, or one it has released.
    this.pool.on('error', onIdleFailure)
    this.pool.on('connect', (client) => client.on('error', () => {}))
    const query = queryOn(this.pool)
    this.rows = (statement, ...values) => retried(() => query.rows(statement, ...values))
    this.row = (statement, ...values) => retried(() => query.row(statement, ...values))
  }

  /**
   * Runs the work on one connection: all of it is kept, or nothing. It may run again from its beginning, if PostgreSQL
   * undid it because of a deadlock with others: what it does beside its statements must bear that.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return retried(() => this.#transaction('begin', false, work))
  }

  /** The same, begun with a lock in one round trip, because each round trip keeps others waiting. */
  transactionHolding<T>(lock: Inlined, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return retried(() => this.#transaction(`begin; ${lock.inlined}`, true, work))
  }

  async #transaction<T>(
    beginning: string,
    isAwaited: boolean,
    work: (tx: Transaction) => Promise<T>,
  ): Promise<T> {
    const client = await this.pool.connect()
    let broken = false
    const afterCommit: (() => void)[] = []
    const ending: string[] = []
    const begun = client.query(beginning)
    begun.catch(() => {}) // the work fails with it, and its caller gets the reason
    try {
      // Work that needs no lock need not wait: its first statement is sent with the beginning, and fails if that fails.
      if (isAwaited) await begun
      const result = await work({
        ...queryOn(client),
        isTransaction: true,
        afterCommit: (more) => void afterCommit.push(more),
        withCommit: (write) => void ending.push(write.inlined),
      })
      await client.query([...ending, 'commit'].join('; '))
      for (const more of afterCommit) more()
      return result
    } catch (error) {
      const cause = await begun.then(
        () => error,
        (unbegun: unknown) => unbegun,
      )
      await client.query('rollback').catch(() => (broken = true))
      throw cause
    } finally {
      client.release(broken)
    }
  }

  /** Whether the database answers now. */
  async answers(): Promise<boolean> {
    const answered = this.pool.query('select 1').then(
      () => true,
      () => false,
    )
    return Promise.race([answered, pause(2000, false, { ref: false })])
  }

  async close() {
    await this.pool.end()
  }
}

/** The name of the constraint that a statement broke, if that is what happened. */
export const brokenConstraint = (error: unknown) =>
  error instanceof DatabaseError && error.code?.startsWith('23') ? error.constraint : undefined

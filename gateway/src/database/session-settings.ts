import { Client, type PoolConfig } from 'pg'
import { secondMs } from '../foundation/clock.ts'

/** A statement may take so long. */
export const statementTimeoutMs = 30 * secondMs

/** How a pool's connections reach PostgreSQL, and what that leaves of a session. */
export interface Way {
  /** What every connection is opened with. */
  readonly startup: PoolConfig
  readonly begin: string
  /** Whether a statement that one transaction prepared is there for the next. */
  readonly keepsStatements: boolean
}

const application = { application_name: 'switchroom-gateway' }

/** Each connection is a session of PostgreSQL. */
export const straight: Way = {
  startup: { ...application, statement_timeout: statementTimeoutMs, options: '-c TimeZone=UTC' },
  begin: 'begin',
  keepsStatements: true,
}

/** What the driver's types leave out. */
const { getStartupConf } = Client.prototype as unknown as {
  getStartupConf: (this: Client) => Record<string, string>
}

/** PgBouncer hands this parameter on to each session that it lends, and refuses those that it does not know. */
class PoolerClient extends Client {
  getStartupConf(): Record<string, string> {
    return { ...getStartupConf.call(this), TimeZone: 'UTC' }
  }
}

/**
 * Through a pooler in transaction mode: each transaction may get another session, and nothing of a session is left for
 * the next. The limits are the transaction's own; that of a statement without one is kept by `StatementLimit`.
 */
export const overPooler: Way = {
  startup: { ...application, Client: PoolerClient },
  begin: `begin; set local statement_timeout = ${statementTimeoutMs}; set local idle_in_transaction_session_timeout = ${statementTimeoutMs}`,
  keepsStatements: false,
}

import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { PoolClient } from 'pg'
import { minuteMs } from '../foundation/clock.ts'
import type { Database } from './database.ts'

/** An index that a running gateway makes or drops: a migration would lock its table for as long as that takes. */
export interface IndexChange {
  name: string
  /** The statement that makes it; null to drop it. */
  make: string | null
  /** Whether the time has come. */
  isDue?: () => Promise<boolean>
}

// Held meanwhile, so that of several gateways one changes indexes.
const changingLock = 0x5377_6978

/** Changes indexes one after the other, each only if all before it are as they are to be. */
export class IndexChanges {
  readonly #database: Database
  #missing: readonly IndexChange[]
  readonly task: PeriodicTask = {
    name: 'change of indexes',
    everyMs: minuteMs,
    runsAtStart: true,
    run: (signal) => this.run(signal),
  }

  constructor(database: Database, changes: readonly IndexChange[]) {
    this.#database = database
    this.#missing = changes
  }

  async run(signal: AbortSignal) {
    await this.#forgetMade()
    if (this.#missing.length === 0) return
    const client = await this.#database.pool.connect()
    // A server that makes an index goes on without its client; what it leaves is found at the next start.
    const stopped = new Promise<'stopped'>((resolve) =>
      signal.addEventListener('abort', () => resolve('stopped'), { once: true }),
    )
    const changing = this.#change(client)
    changing.catch(() => {})
    const ended = await Promise.race([changing.catch((error: unknown) => ({ error })), stopped])
    client.release(true) // with its lock and its time limit
    if (typeof ended === 'object') throw ended.error
  }

  /** Most starts find everything as it is to be, and need no connection of their own. */
  async #forgetMade() {
    if (this.#missing.length === 0) return
    const { rows } = await this.#database.pool.query<{ name: string }>(
      `select name from unnest($1::text[]) as name join pg_index on indexrelid = to_regclass(name) and indisvalid`,
      [this.#missing.map(({ name }) => name)],
    )
    const whole = new Set(rows.map(({ name }) => name))
    this.#missing = this.#missing.filter(({ name, make }) => whole.has(name) !== (make !== null))
  }

  async #change(client: PoolClient): Promise<void> {
    await client.query('set statement_timeout = 0')
    const { rows } = await client.query<{ isLocked: boolean }>(
      `select pg_try_advisory_lock(${changingLock}) as "isLocked"`,
    )
    if (!rows[0]?.isLocked) return
    for (const change of this.#missing) {
      if (change.isDue && !(await change.isDue())) return
      await apply(client, change)
      this.#missing = this.#missing.filter((missing) => missing !== change)
    }
  }
}

async function apply(client: PoolClient, { name, make }: IndexChange) {
  const { rows } = await client.query<{ isWhole: boolean }>(
    `select indisvalid as "isWhole" from pg_index where indexrelid = to_regclass($1)`,
    [name],
  )
  const found = rows[0]
  if (found && (make === null || !found.isWhole)) await client.query(`drop index concurrently ${name}`)
  if (make !== null && !found?.isWhole) await client.query(make)
}

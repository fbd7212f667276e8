import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { PoolClient } from 'pg'
import type { Logger } from 'pino'
import { withBriefLocks, type BriefLockTiming } from '../../database/brief-locks.ts'
import type { Database } from '../../database/database.ts'
import { hourMs, type Clock } from '../../foundation/clock.ts'
import { monthAfter, monthOf } from '../log/months.ts'
import * as store from './entry-partitions.store.ts'

/** Until the last of them has begun, a gateway that cannot make partitions does no harm. */
const monthsAhead = 2

// Held while all entries are read, so that of several gateways one does it.
const partitioningLock = 0x5377_6979

export interface EntryPartitionsParts {
  database: Database
  clock: Clock
  logger: Logger
  timing?: BriefLockTiming
}

/** Makes the partitions of `entries`: once of the table from before there were any, then one for each coming month. */
export class EntryPartitions {
  readonly #parts: EntryPartitionsParts
  readonly task: PeriodicTask = {
    name: 'partitions of entries',
    everyMs: hourMs,
    runsAtStart: true,
    run: (signal) => this.run(signal),
  }

  constructor(parts: EntryPartitionsParts) {
    this.#parts = parts
  }

  async run(signal: AbortSignal) {
    const { isPartitioned, isReady, months } = await store.readState(this.#parts.database)
    const missing = this.#wanted().filter((month) => !months.includes(month))
    if (!isPartitioned && !isReady) return
    if (isPartitioned && missing.length === 0) return
    const client = await this.#parts.database.pool.connect()
    // A server that reads all entries goes on without its client, and then undoes what it did.
    const stopped = new Promise<'stopped'>((resolve) =>
      signal.addEventListener('abort', () => resolve('stopped'), { once: true }),
    )
    const making = this.#make(client, isPartitioned, missing, signal)
    const ended = await Promise.race([making.catch((error: unknown) => ({ error })), stopped])
    client.release(true)
    if (typeof ended === 'object') throw ended.error
  }

  #wanted(): number[] {
    const now = monthOf(this.#parts.clock.now())
    return Array.from({ length: monthsAhead + 1 }, (_, ahead) => monthAfter(now, ahead))
  }

  async #make(client: PoolClient, isPartitioned: boolean, missing: readonly number[], signal: AbortSignal) {
    const { timing, logger } = this.#parts
    if (!isPartitioned) {
      if (!(await validate(client))) return
      if (!(await withBriefLocks(client, 'select partition_entries()', signal, timing))) return
      logger.info('the table of log entries is partitioned')
    }
    for (const month of missing)
      if (await withBriefLocks(client, `select add_entries_month(${month})`, signal, timing))
        logger.info({ month }, 'the log entries of a month have a partition')
  }
}

// Another gateway may have made it a partition meanwhile.
const validation = `
  do $$
  begin
    lock table entries in share update exclusive mode;
    if to_regclass('entries_without_month') is null then
      alter table entries validate constraint entries_have_no_month;
    end if;
  end
  $$`

/** Reads all entries while others read and write them. False if another gateway is at it. */
async function validate(client: PoolClient): Promise<boolean> {
  await client.query('begin; set local statement_timeout = 0')
  const { rows } = await client.query<{ isLocked: boolean }>(
    `select pg_try_advisory_xact_lock(${partitioningLock}) as "isLocked"`,
  )
  const isLocked = rows[0]?.isLocked === true
  if (isLocked) await client.query(validation)
  await client.query('commit')
  return isLocked
}

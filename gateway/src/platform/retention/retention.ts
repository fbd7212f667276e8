import type { RetentionRun } from '@switchroom/contract/retention'
import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Logger } from 'pino'
import { recordAudit } from '../../audit/recording.ts'
import type { Database } from '../../database/database.ts'
import type { Operator } from '../../foundation/caller.ts'
import { hourMs, later, minuteMs, type Clock } from '../../foundation/clock.ts'
import * as store from './retention.store.ts'

/** A night begins at 03:00 UTC. */
const hourOfNight = 3
const lostAfterMs = 6 * hourMs

/** What is deleted for its age: for each, how much of it a run deleted. */
export type Deletions = { [What in keyof RetentionRun]: (signal: AbortSignal) => Promise<RetentionRun[What]> }

export interface RetentionParts {
  database: Database
  clock: Clock
  logger: Logger
  deletions: Deletions
}

/** Deletes data that is kept for a limited time: every night on one gateway, or when the operator asks. */
export class Retention {
  readonly #parts: RetentionParts
  readonly #stopping = new AbortController()
  readonly task: PeriodicTask = { name: 'nightly retention', everyMs: minuteMs, run: () => this.poll() }

  constructor(parts: RetentionParts) {
    this.#parts = parts
  }

  /** Interrupts the run under way. */
  stop() {
    this.#stopping.abort()
  }

  async run(): Promise<RetentionRun> {
    const { entries, calls, dials, keys, claims, audit } = this.#parts.deletions
    const { signal } = this.#stopping
    return {
      entries: await entries(signal),
      calls: await calls(signal),
      dials: await dials(signal),
      keys: await keys(signal),
      claims: await claims(signal),
      audit: await audit(signal),
    }
  }

  async runFor(by: Operator): Promise<RetentionRun> {
    const run = await this.run()
    await this.#parts.database.transaction((tx) =>
      recordAudit(tx, by, 'platform.retention_run', { kind: 'platform' }, { detail: run }),
    )
    return run
  }

  /** Runs the night's retention; undefined if it is done or under way. */
  async poll(): Promise<RetentionRun | undefined> {
    const { database, clock, logger } = this.#parts
    const now = clock.now()
    const night = later(now, -hourOfNight * hourMs)
      .toISOString()
      .slice(0, 10)
    if (!(await store.beginNight(database, night, now, later(now, -lostAfterMs)))) return undefined
    const run = await this.run()
    if (!this.#stopping.signal.aborted) await store.endNight(database, night, clock.now())
    logger.info({ night, ...run }, 'the nightly retention ran')
    return run
  }
}

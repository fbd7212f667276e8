import type { RetentionRun } from '@switchroom/contract/retention'
import type { Logger } from 'pino'
import { recordAudit } from '../../audit/recording.ts'
import type { Database } from '../../database/database.ts'
import type { Operator } from '../../foundation/caller.ts'
import { hourMs, later, minuteMs, type Clock } from '../../foundation/clock.ts'
import * as store from './retention.store.ts'

/** A night begins at 03:00 UTC. */
const hourOfNight = 3
const lostAfterMs = 6 * hourMs

/** What is forgotten for its age: for each, how much of it a run forgot. */
export type Forgotten = { [What in keyof RetentionRun]: (signal: AbortSignal) => Promise<RetentionRun[What]> }

export interface RetentionParts {
  database: Database
  clock: Clock
  logger: Logger
  forgotten: Forgotten
}

/** Forgets what is kept for some time only: every night on one gateway, or when the operator says so. */
export class Retention {
  readonly #parts: RetentionParts
  readonly #stopping = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #polling: Promise<unknown> = Promise.resolve()

  constructor(parts: RetentionParts) {
    this.#parts = parts
  }

  start() {
    this.#timer = setInterval(() => {
      this.#polling = this.poll().catch((error: unknown) =>
        this.#parts.logger.warn({ err: error }, 'the nightly retention failed'),
      )
    }, minuteMs)
    this.#timer.unref()
  }

  async stop() {
    clearInterval(this.#timer)
    this.#stopping.abort()
    await this.#polling
  }

  async run(): Promise<RetentionRun> {
    const { entries, claims, audit } = this.#parts.forgotten
    const { signal } = this.#stopping
    return { entries: await entries(signal), claims: await claims(signal), audit: await audit(signal) }
  }

  async runFor(by: Operator): Promise<RetentionRun> {
    const run = await this.run()
    await this.#parts.database.transaction((tx) =>
      recordAudit(tx, by, 'platform.retention_run', { kind: 'platform' }, { detail: run }),
    )
    return run
  }

  /** Runs the night's retention unless that was done or is under way; undefined then. */
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

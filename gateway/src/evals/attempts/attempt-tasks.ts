import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Logger } from 'pino'
import type { DueChecks } from '../../database/due-checks.ts'
import { secondMs } from '../../foundation/clock.ts'
import type { RunNotices } from '../runs/run-notices.ts'
import type { Attempts, ClaimedAttempt } from './attempts.ts'

const pollEveryMs = 2 * secondMs
/** Of all runs, on one gateway: its callers have what is left of it. */
const atOnce = 20

/** Makes the calls of runs: at once when one is started or has room, within seconds what another gateway left. */
export class AttemptTasks {
  readonly #attempts: Attempts
  readonly #dueChecks: DueChecks
  readonly #logger: Logger
  readonly #held = new Map<ClaimedAttempt, Promise<void>>()
  readonly #stopping = new AbortController()
  readonly task: PeriodicTask = {
    name: 'make calls of scenarios',
    everyMs: pollEveryMs,
    runsAtStart: true,
    run: () => this.#dueChecks.runIfAny(this.#attempts.due, () => this.#poll()),
  }
  #claiming: Promise<void> | undefined
  #mayBeMore = false

  constructor(attempts: Attempts, dueChecks: DueChecks, notices: RunNotices, logger: Logger) {
    this.#attempts = attempts
    this.#dueChecks = dueChecks
    this.#logger = logger
    notices.on(() => this.#poll())
  }

  /** What is held is left to other gateways, which go on where it stopped. */
  async stop() {
    this.#stopping.abort()
    await this.#claiming
    await Promise.all(this.#held.values())
  }

  #poll() {
    if (this.#stopping.signal.aborted) return
    this.#mayBeMore = true
    this.#claiming ??= this.#claimAll()
      .catch((error: unknown) =>
        this.#logger.warn({ err: error }, 'scenarios wait: the queue does not answer'),
      )
      .finally(() => {
        this.#claiming = undefined
        if (this.#mayBeMore) this.#poll()
      })
  }

  async #claimAll() {
    while (this.#mayBeMore) {
      this.#mayBeMore = false
      while (!this.#stopping.signal.aborted && this.#held.size < atOnce) {
        const claimed = await this.#attempts.claim()
        if (!claimed) break
        this.#hold(claimed)
      }
    }
  }

  #hold(claimed: ClaimedAttempt) {
    const held = this.#attempts
      .hold(claimed, this.#stopping.signal)
      .catch((error: unknown) =>
        this.#logger.warn({ err: error, attempt: claimed.id }, 'what came of a test call was not written'),
      )
      .finally(() => {
        this.#held.delete(claimed)
        this.#poll()
      })
    this.#held.set(claimed, held)
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Logger } from 'pino'
import type { DueChecks } from '../database/due-checks.ts'
import { secondMs } from '../foundation/clock.ts'
import type { ClaimedLetter, Letters } from './letters.ts'

const pollEveryMs = 2 * secondMs
const atOnce = 20
/** A server that hangs holds up its own org's letters only. */
const atOnceOfOneOwner = 5

/** Sends what waits: at once what this gateway queued, within seconds what is due again or another one left. */
export class LetterTasks {
  readonly #letters: Letters
  readonly #logger: Logger
  readonly #dueChecks: DueChecks
  readonly #sending = new Map<ClaimedLetter, Promise<void>>()
  readonly #stopping = new AbortController()
  readonly task: PeriodicTask = {
    name: 'send letters',
    everyMs: pollEveryMs,
    runsAtStart: true,
    run: () => this.#dueChecks.runIfAny(this.#letters.due, () => this.#isRunning && this.#poll()),
  }
  #claiming: Promise<void> | undefined
  #mayBeMore = false
  #isRunning = false

  constructor(letters: Letters, dueChecks: DueChecks, logger: Logger) {
    this.#letters = letters
    this.#dueChecks = dueChecks
    this.#logger = logger
  }

  start() {
    this.#isRunning = true
    this.#letters.onQueued = () => this.#poll()
  }

  /** Takes no more letters. Those being sent have this long; what is left is in the queue. */
  async stop(graceMs: number) {
    this.#isRunning = false
    await this.#claiming
    const sent = Promise.all(this.#sending.values())
    await Promise.race([sent, pause(graceMs, undefined, { ref: false })])
    this.#stopping.abort()
    await sent
  }

  #poll() {
    this.#mayBeMore = true
    this.#claiming ??= this.#claimAll()
      .catch((error: unknown) => this.#logger.warn({ err: error }, 'letters wait: the queue does not answer'))
      .finally(() => {
        this.#claiming = undefined
        if (this.#mayBeMore && this.#isRunning) this.#poll()
      })
  }

  /** One by one, so that each knows whose letters are already being sent. */
  async #claimAll() {
    while (this.#mayBeMore) {
      this.#mayBeMore = false
      while (this.#isRunning && this.#sending.size < atOnce) {
        const claimed = await this.#letters.claim(this.#fullOwners())
        if (!claimed) break
        this.#send(claimed)
      }
    }
  }

  #send(claimed: ClaimedLetter) {
    const sent = this.#letters
      .send(claimed, this.#stopping.signal)
      .catch((error: unknown) => this.#logger.warn({ err: error }, 'the result of a letter was not written'))
      .finally(() => {
        this.#sending.delete(claimed)
        if (this.#isRunning) this.#poll()
      })
    this.#sending.set(claimed, sent)
  }

  #fullOwners(): string[] {
    const sendingOf = Map.groupBy(this.#sending.keys(), ({ owner }) => owner)
    return [...sendingOf].filter(([, letters]) => letters.length >= atOnceOfOneOwner).map(([owner]) => owner)
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Logger } from 'pino'
import type { DueChecks } from '../../database/due-checks.ts'
import { secondMs } from '../../foundation/clock.ts'
import type { ClaimedDelivery, DeliveryAttempts } from './delivery-attempts.ts'

const pollEveryMs = 2 * secondMs
const atOnce = 50
/** A receiver that hangs holds up its own deliveries only. */
const atOnceToOneEndpoint = 5

/** Sends what waits: within seconds what is new or due again, also what another gateway left. */
export class DeliveryTasks {
  readonly #attempts: DeliveryAttempts
  readonly #dueChecks: DueChecks
  readonly #logger: Logger
  readonly #sending = new Map<ClaimedDelivery, Promise<void>>()
  readonly #stopping = new AbortController()
  readonly task: PeriodicTask = {
    name: 'send webhooks',
    everyMs: pollEveryMs,
    runsAtStart: true,
    run: () => this.#dueChecks.runIfAny(this.#attempts.due, () => this.#poll()),
  }
  #claiming: Promise<void> | undefined
  #mayBeMore = false
  #isStopping = false

  constructor(attempts: DeliveryAttempts, dueChecks: DueChecks, logger: Logger) {
    this.#attempts = attempts
    this.#dueChecks = dueChecks
    this.#logger = logger
  }

  /** Claims no more. What is being sent has this long; the rest is in the queue. */
  async stop(graceMs: number) {
    this.#isStopping = true
    await this.#claiming
    const sent = Promise.all(this.#sending.values())
    await Promise.race([sent, pause(graceMs, undefined, { ref: false })])
    this.#stopping.abort()
    await sent
  }

  #poll() {
    if (this.#isStopping) return
    this.#mayBeMore = true
    this.#claiming ??= this.#claimAll()
      .catch((error: unknown) =>
        this.#logger.warn({ err: error }, 'webhooks wait: the queue does not answer'),
      )
      .finally(() => {
        this.#claiming = undefined
        if (this.#mayBeMore) this.#poll()
      })
  }

  /** One by one, so that each knows how many are already being sent to an endpoint. */
  async #claimAll() {
    while (this.#mayBeMore) {
      this.#mayBeMore = false
      while (!this.#isStopping && this.#sending.size < atOnce) {
        const claimed = await this.#attempts.claim(this.#fullEndpoints())
        if (!claimed) break
        this.#send(claimed)
      }
    }
  }

  #send(claimed: ClaimedDelivery) {
    const sent = this.#attempts
      .attempt(claimed, this.#stopping.signal)
      .catch((error: unknown) =>
        this.#logger.warn({ err: error, event: claimed.event }, 'the result of a webhook was not written'),
      )
      .finally(() => {
        this.#sending.delete(claimed)
        this.#poll()
      })
    this.#sending.set(claimed, sent)
  }

  #fullEndpoints(): string[] {
    const ofEndpoint = Map.groupBy(this.#sending.keys(), ({ endpoint }) => endpoint)
    return [...ofEndpoint]
      .filter(([, sent]) => sent.length >= atOnceToOneEndpoint)
      .map(([endpoint]) => endpoint)
  }
}

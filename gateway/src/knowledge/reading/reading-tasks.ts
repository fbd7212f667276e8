import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Logger } from 'pino'
import type { DueChecks } from '../../database/due-checks.ts'
import { secondMs } from '../../foundation/clock.ts'
import type { ClaimedDocument, DocumentReader } from './document-reader.ts'

const pollEveryMs = 2 * secondMs
/** Of one gateway: each is a process that may need a processor for itself. */
const atOnce = 2

/** Reads what waits, also what another gateway left. */
export class ReadingTasks {
  readonly #reader: DocumentReader
  readonly #dueChecks: DueChecks
  readonly #logger: Logger
  readonly #reading = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  readonly task: PeriodicTask = {
    name: 'read documents',
    everyMs: pollEveryMs,
    runsAtStart: true,
    run: () => this.#dueChecks.runIfAny(this.#reader.due, () => this.poll()),
  }
  #claiming: Promise<void> | undefined
  #mayBeMore = false

  constructor(reader: DocumentReader, dueChecks: DueChecks, logger: Logger) {
    this.#reader = reader
    this.#dueChecks = dueChecks
    this.#logger = logger
  }

  /** Claims no more, and leaves what is being read to others. */
  async stop() {
    this.#stopping.abort()
    await this.#claiming
    await Promise.all(this.#reading)
  }

  poll() {
    if (this.#stopping.signal.aborted) return
    this.#mayBeMore = true
    this.#claiming ??= this.#claimAll()
      .catch((error: unknown) =>
        this.#logger.warn({ err: error }, 'documents wait: the queue does not answer'),
      )
      .finally(() => {
        this.#claiming = undefined
        if (this.#mayBeMore) this.poll()
      })
  }

  async #claimAll() {
    while (this.#mayBeMore) {
      this.#mayBeMore = false
      while (!this.#stopping.signal.aborted && this.#reading.size < atOnce) {
        const claimed = await this.#reader.claim()
        if (!claimed) break
        this.#read(claimed)
      }
    }
  }

  #read(claimed: ClaimedDocument) {
    const read = this.#reader
      .read(claimed, this.#stopping.signal)
      .catch((error: unknown) =>
        this.#logger.warn({ err: error, document: claimed.id }, 'what came of a document was not written'),
      )
      .finally(() => {
        this.#reading.delete(read)
        this.poll()
      })
    this.#reading.add(read)
  }
}

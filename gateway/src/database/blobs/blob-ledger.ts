import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Logger } from 'pino'
import { inBatches } from '../batches.ts'
import type { Database, Transaction } from '../database.ts'
import { BlobStoreFailure, type BlobStore } from '../../foundation/blobs/blob-store.ts'
import { dayMs, hourMs, later, minuteMs, type Clock } from '../../foundation/clock.ts'
import { unavailable } from '../../foundation/refusals.ts'
import * as store from './blob-ledger.store.ts'

/** Longer than any upload takes: by then its gateway is dead. */
const uploadMs = dayMs
/** Longer than a storage takes to remove so many. */
const leaseMs = 5 * minuteMs
const atOnce = 100
const longestPauseMs = hourMs

export interface BlobLedgerParts {
  database: Database
  clock: Clock
  logger: Pick<Logger, 'warn'>
  stores: readonly BlobStore[]
}

/**
 * Which blobs are to be removed. A blob is written here before it is uploaded and crossed out in the transaction that
 * names it, and comes back in the one that no longer does: whatever dies in between, no blob is left over.
 */
export class BlobLedger {
  readonly #parts: BlobLedgerParts
  readonly task: PeriodicTask

  constructor(parts: BlobLedgerParts) {
    this.#parts = parts
    this.task = { name: 'remove blobs', everyMs: minuteMs, run: (signal) => this.removeDue(signal) }
  }

  /** Before it begins, with a key that no other upload has or had. */
  async beginUpload(blobs: BlobStore, key: string): Promise<void> {
    const { database, clock } = this.#parts
    await store.beginUpload(database, blobs.place, key, later(clock.now(), uploadMs))
  }

  /** In the transaction that names the blob. */
  async endUpload(tx: Transaction, blobs: BlobStore, key: string): Promise<void> {
    if (!(await store.endUpload(tx, blobs.place, key)))
      throw unavailable('the upload took longer than a day and was given up: send it again')
  }

  /** What was uploaded is due to be removed, unless the transaction that names it was committed after all. */
  async failUpload(blobs: BlobStore, key: string): Promise<void> {
    await store.failUpload(this.#parts.database, blobs.place, key)
  }

  /** Never fails because of a store: what it does not remove now is tried again, later and later. */
  async removeDue(signal = new AbortController().signal): Promise<void> {
    if (this.#parts.stores.length > 0) await inBatches(signal, () => this.#removeSome())
  }

  /** After a transaction that left some: what cannot be removed now is removed later. */
  async removeDueNow(): Promise<void> {
    const { logger } = this.#parts
    await this.removeDue().catch((error: unknown) => logger.warn({ err: error }, 'blobs were not removed'))
  }

  /** Answers how many there were if there may be more. */
  async #removeSome(): Promise<number> {
    const { database, clock, stores } = this.#parts
    const places = stores.map(({ place }) => place)
    const now = clock.now()
    const due = await store.takeDue(database, places, now, later(now, leaseMs), atOnce)
    for (const blobs of stores)
      await this.#remove(
        blobs,
        due.filter(({ place }) => place === blobs.place),
      )
    return due.length < atOnce ? 0 : due.length
  }

  async #remove(blobs: BlobStore, due: readonly store.Removal[]): Promise<void> {
    if (due.length === 0) return
    const { database, clock, logger } = this.#parts
    const keys = due.map(({ key }) => key)
    try {
      for (const { key, is_upload: isUpload } of due) if (isUpload) await blobs.removeUnfinished(key)
      await blobs.remove(keys)
      await store.forgetRemoved(database, blobs.place, keys)
    } catch (error) {
      if (!(error instanceof BlobStoreFailure)) throw error
      const tries = Math.max(...due.map((each) => each.tries))
      const pauseMs = Math.min(longestPauseMs, minuteMs * 2 ** Math.min(tries - 1, 10))
      logger.warn({ err: error, blobs: keys.length }, 'blobs could not be removed and are tried again')
      await store.postponeRemovals(database, blobs.place, keys, later(clock.now(), pauseMs))
    }
  }
}

import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Logger } from 'pino'
import type { Database } from '../../database/database.ts'
import type { BlobStore } from '../../foundation/blobs/blob-store.ts'
import { minuteMs } from '../../foundation/clock.ts'
import { mediaTypeOf } from './document-formats.ts'
import * as store from './documents.store.ts'
import type { Originals } from './originals.ts'

const atOnce = 50

export interface DocumentMoveParts {
  slowDatabase: Database
  logger: Pick<Logger, 'info' | 'warn'>
  /** The first one is where originals belong. */
  blobStores: readonly BlobStore[]
  originals: Originals
}

/** Moves originals from a store that is still set to the one that new ones go to, while gateways serve. */
export class DocumentMoves {
  readonly #parts: DocumentMoveParts
  #isDone: boolean
  readonly task: PeriodicTask

  constructor(parts: DocumentMoveParts) {
    this.#parts = parts
    this.#isDone = parts.blobStores.length < 2
    const run = (signal: AbortSignal) => this.run(signal)
    this.task = { name: 'move documents', everyMs: minuteMs, runsAtStart: true, run }
  }

  /** Whatever a run leaves, the next one takes. */
  async run(signal: AbortSignal): Promise<void> {
    const { slowDatabase, logger, blobStores } = this.#parts
    const [to, ...others] = blobStores
    if (this.#isDone || !to) return
    const places = others.map(({ place }) => place)
    let [moved, left, after] = [0, 0, '']
    while (!signal.aborted) {
      const some = await store.nextElsewhere(slowDatabase, after, places, atOnce)
      for (const document of some) {
        if (signal.aborted) break
        if (await this.#move(document)) moved += 1
        else left += 1
      }
      after = some.at(-1)?.id ?? after
      if (some.length < atOnce) break
    }
    if (moved + left > 0) logger.info({ moved, left }, `documents were moved to the ${to.place}`)
    this.#isDone = left === 0 && !signal.aborted
  }

  /** False if it has to be tried again. Under a new key: another gateway may be moving the same. */
  async #move(document: store.ElsewhereRow): Promise<boolean> {
    const { slowDatabase, logger, originals } = this.#parts
    try {
      const content = await originals.read(document)
      if (!content) {
        logger.warn({ document: document.id }, 'a document is not there any more and cannot be moved')
        return true
      }
      const original = await originals.put(document.org, content, mediaTypeOf[document.format])
      const isMoved = await slowDatabase.transaction(async (tx) => {
        if (!(await store.moveOriginal(tx, document, original))) return false
        await originals.name(tx, original)
        return true
      })
      await originals.drop(isMoved ? [] : [original]) // replaced, deleted or moved meanwhile
      return true
    } catch (error) {
      logger.warn({ err: error, document: document.id }, 'a document was not moved and is tried again')
      return false
    }
  }
}

import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Logger } from 'pino'
import type { BlobLedger } from '../../database/blobs/blob-ledger.ts'
import type { Transaction } from '../../database/database.ts'
import { BlobStoreFailure, type BlobPlace, type BlobStore } from '../../foundation/blobs/blob-store.ts'
import { unavailable } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'

const storeAwayS = 30

/** A content in the blob store. */
export interface Original {
  place: BlobPlace
  blob: string
  bytes: number
  digest: Buffer
}

export interface OriginalParts {
  /** New ones go to the first; none: no documents. */
  blobStores: readonly BlobStore[]
  blobLedger: BlobLedger
  logger: Pick<Logger, 'warn'>
}

/** The contents of documents as they came, beside the database. */
export class Originals {
  readonly #parts: OriginalParts

  constructor(parts: OriginalParts) {
    this.#parts = parts
  }

  /** Until `name` or `drop` is called for it, it is in the ledger of what is removed if its gateway dies. */
  async put(org: string, content: AsyncIterable<Uint8Array>, mediaType: string): Promise<Original> {
    const { blobLedger } = this.#parts
    const blobs = this.#requireStore()
    const blob = `${org}/documents/${newId('doc', 12)}`
    await blobLedger.beginUpload(blobs, blob)
    const hash = createHash('sha256')
    const hashed = async function* () {
      for await (const piece of content) {
        hash.update(piece)
        yield piece
      }
    }
    try {
      const bytes = await blobs.put(blob, hashed(), mediaType)
      return { place: blobs.place, blob, bytes, digest: hash.digest() }
    } catch (error) {
      await this.#giveUp({ place: blobs.place, blob })
      throw error instanceof BlobStoreFailure ? this.#away(error, 'stored') : error
    }
  }

  /** In the transaction of the row that has it. */
  async name(tx: Transaction, { place, blob }: Original): Promise<void> {
    await this.#parts.blobLedger.endUpload(tx, this.#storeAt(place), blob)
  }

  /** Those that no row got. */
  async drop(originals: readonly Original[]): Promise<void> {
    for (const original of originals) await this.#giveUp(original)
    await this.#parts.blobLedger.removeDueNow()
  }

  /** Undefined if it is not there any more. */
  async read({ place, blob }: Pick<Original, 'place' | 'blob'>): Promise<Readable | undefined> {
    return this.#storeAt(place)
      .read(blob)
      .catch((error: unknown) => {
        throw error instanceof BlobStoreFailure ? this.#away(error, 'read') : error
      })
  }

  async #giveUp({ place, blob }: Pick<Original, 'place' | 'blob'>) {
    await this.#parts.blobLedger.failUpload(this.#storeAt(place), blob).catch(() => {}) // it is given up in a day all the same
  }

  #storeAt(place: BlobPlace): BlobStore {
    const blobs = this.#parts.blobStores.find((each) => each.place === place)
    if (blobs) return blobs
    throw unavailable(
      `the document is kept in a ${place}, and this gateway has none: the operator sets ${settingOf[place]}`,
    )
  }

  #requireStore(): BlobStore {
    const [blobs] = this.#parts.blobStores
    if (blobs) return blobs
    throw unavailable(
      'documents are not kept on this deployment: the operator sets SVC_RECORDINGS or SVC_S3_BUCKET',
    )
  }

  #away(failure: BlobStoreFailure, done: 'stored' | 'read') {
    this.#parts.logger.warn({ err: failure }, `a document could not be ${done}`)
    return unavailable(`documents cannot be ${done} at the moment: ${failure.message}`, storeAwayS)
  }
}

const settingOf = { folder: 'SVC_RECORDINGS', bucket: 'SVC_S3_BUCKET' } as const

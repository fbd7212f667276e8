import { buffer } from 'node:stream/consumers'
import { largestDocumentBytes } from '@switchroom/contract/knowledge-names'
import type { Logger } from 'pino'
import type { Check } from '../../database/due-checks.ts'
import type { Database } from '../../database/database.ts'
import { later, minuteMs, secondMs, type Clock } from '../../foundation/clock.ts'
import { Refusal } from '../../foundation/refusals.ts'
import type { Bases } from '../bases/bases.ts'
import type { Originals } from '../documents/originals.ts'
import type { ChunkIndex, PreparedChunks, SearchedBase } from '../passages.ts'
import { identified } from './chunk-identity.ts'
import * as store from './queue.store.ts'
import type { FetchedDocuments } from './fetched-documents.ts'
import { readInProcess, Unreadable } from './reading-process.ts'

export type ClaimedDocument = store.ClaimedDocument

/** Longer than between two extensions: what is claimed for longer was claimed by a gateway that died. */
const claimMs = 30 * secondMs
const extendedEveryMs = 10 * secondMs
/** Before what passes, such as a vendor that is away, is tried again. */
const pausesMs = [10 * secondMs, minuteMs, 5 * minuteMs, 15 * minuteMs]

export interface DocumentReaderParts {
  database: Database
  clock: Clock
  logger: Pick<Logger, 'warn'>
  bases: Bases
  originals: Originals
  fetched: FetchedDocuments
  index: ChunkIndex
  /** This gateway's name. */
  gateway: string
}

/** Takes documents from the queue that all gateways share, and reads them. */
export class DocumentReader {
  readonly #parts: DocumentReaderParts

  constructor(parts: DocumentReaderParts) {
    this.#parts = parts
  }

  /** Whether one waits. */
  get due(): Check {
    return store.dueCheck(this.#parts.clock.now())
  }

  /** So that no other gateway reads it at the same time, unless this one dies. */
  claim(): Promise<ClaimedDocument | undefined> {
    const { database, clock, gateway } = this.#parts
    const now = clock.now()
    return store.claimDocument(database, now, later(now, claimMs), gateway)
  }

  async read(document: ClaimedDocument, stopping: AbortSignal): Promise<void> {
    const claim = { ...document, reader: this.#parts.gateway }
    const lost = new AbortController()
    const extending = setInterval(() => void this.#extend(claim, lost), extendedEveryMs)
    try {
      if (document.attempts > pausesMs.length + 1)
        throw new Unreadable('it could not be read: each gateway that tried ended meanwhile')
      await this.#read(document, claim, AbortSignal.any([stopping, lost.signal]))
    } catch (error) {
      if (lost.signal.aborted) return
      if (stopping.aborted) return await this.#release(claim, 0, null, 1)
      await this.#failed(document, claim, error)
    } finally {
      clearInterval(extending)
    }
  }

  async #read(document: ClaimedDocument, claim: store.Claim, signal: AbortSignal) {
    const { database, index, fetched } = this.#parts
    const base = await store.findSearchedBase(database, document.base)
    if (!base) return // it was deleted with its documents
    const current = fetched.isDue(document)
      ? await fetched.fetch(base, document, claim, signal)
      : { format: document.format, content: await this.#contentOf(document) }
    if (!current) return
    const { format, content } = current
    const task = { format, name: document.name, language: base.language }
    const chunks = identified(document.id, await readInProcess(task, content, signal))
    if (chunks.length === 0) throw new Unreadable('it holds no text')
    const prepared = await index.prepare(base, chunks, signal)
    await this.#swap(base, claim, chunks.length, prepared)
  }

  async #contentOf({ place, blob }: ClaimedDocument): Promise<Buffer> {
    const stored = place !== null && blob !== null && (await this.#parts.originals.read({ place, blob }))
    if (!stored) throw new Unreadable('its content is not kept any more: add it again')
    const content = await buffer(stored)
    if (content.length > largestDocumentBytes) throw new Unreadable('it is larger than a document may be')
    return content
  }

  /** Searches find the old chunks or the new ones, and never half. */
  async #swap(base: SearchedBase, claim: store.Claim, chunks: number, prepared: PreparedChunks) {
    const { database, bases } = this.#parts
    await database.transaction(async (tx) => {
      const before = await store.lockClaimed(tx, claim)
      if (!before) return
      await prepared.write(tx, claim.id)
      const dueAt = this.#nextFetch(before.refetch_s)
      await store.settleDocument(tx, claim.id, { state: 'ready', why: null, dueAt, chunks })
      await bases.count(tx, base, { chunks: chunks - before.chunks }, true)
    })
  }

  async #failed(document: ClaimedDocument, claim: store.Claim, error: unknown) {
    const { database, logger } = this.#parts
    const why = sentenceOf(error)
    const pauseMs = pausesMs[document.attempts - 1]
    if (!isFinal(error) && pauseMs !== undefined) {
      logger.warn({ err: error, document: document.id }, 'a document could not be read and is tried again')
      return this.#release(claim, pauseMs, why, 0)
    }
    await database.transaction(async (tx) => {
      const before = await store.lockClaimed(tx, claim)
      if (!before) return
      const dueAt = this.#nextFetch(before.refetch_s)
      await store.settleDocument(tx, claim.id, { state: 'failed', why, dueAt, chunks: before.chunks })
    })
  }

  #nextFetch(refetchS: number | null): Date | null {
    return refetchS === null ? null : later(this.#parts.clock.now(), refetchS * secondMs)
  }

  async #release(claim: store.Claim, pauseMs: number, why: string | null, uncounted: 0 | 1) {
    const { database, clock } = this.#parts
    await store.releaseClaim(database, claim, { dueAt: later(clock.now(), pauseMs), why, uncounted })
  }

  async #extend(claim: store.Claim, lost: AbortController) {
    const { database, clock, logger } = this.#parts
    await store
      .extendClaim(database, claim, later(clock.now(), claimMs))
      .then((isOurs) => isOurs || lost.abort())
      .catch((error: unknown) => logger.warn({ err: error }, 'a claim on a document was not extended'))
  }
}

/** Whether trying again would end the same way. */
const isFinal = (error: unknown) =>
  error instanceof Unreadable || (error instanceof Refusal && error.status < 500)

const sentenceOf = (error: unknown) =>
  (error instanceof Error && error.message !== '' ? error.message : 'it could not be read').slice(0, 500)

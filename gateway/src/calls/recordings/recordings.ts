import type { Readable } from 'node:stream'
import type { RecordingLink, StoredRecording, Waveform } from '@switchroom/contract/recordings'
import type { Logger } from 'pino'
import type { Database, Transaction } from '../../database/database.ts'
import { BlobStoreFailure, type BlobStore } from '../../foundation/blobs/blob-store.ts'
import type { ByteRange } from '../../foundation/blobs/byte-range.ts'
import type { Caller } from '../../foundation/caller.ts'
import type { Clock } from '../../foundation/clock.ts'
import { conflict, notFound, unavailable } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'
import type { Log } from '../log/log.ts'
import { callLog } from '../log/entries.ts'
import { unknownCall, type EntryAppender } from '../spoken/entry-appender.ts'
import type { BlobLedger } from '../../database/blobs/blob-ledger.ts'
import { RecordedSound, tooMuch } from './recorded-sound.ts'
import { mediaTypes, type RecordingFormat } from './recording-formats.ts'
import * as store from './recordings.store.ts'

const storeAwayS = 30

export interface RecordingParts {
  database: Database
  clock: Clock
  log: Log
  logger: Pick<Logger, 'warn'>
  calls: Pick<EntryAppender, 'find'>
  /** New recordings go to the first one; none: no recordings. */
  stores: readonly BlobStore[]
  ledger: BlobLedger
}

/** What a worker says about the sound that it sends. */
export interface SentRecording {
  format: RecordingFormat
  /** The loudest samples; null if it sent none. */
  peaks: Buffer | null
}

export interface FoundRecording {
  bytes: number
  mediaType: string
  read: (range: ByteRange) => Promise<Readable>
}

/** Recordings of calls: one blob each, deleted together with the call's entries. */
export class Recordings {
  readonly #parts: RecordingParts

  constructor(parts: RecordingParts) {
    this.#parts = parts
  }

  /** Logged if the call is still open; a second recording replaces the first. */
  async store(
    caller: Caller,
    id: string,
    body: Readable,
    { format, peaks }: SentRecording,
  ): Promise<StoredRecording> {
    const { database, calls, ledger } = this.#parts
    const blobs = this.#requireStore()
    const call = await calls.find(caller, id)
    const { most, bytes: kept, own } = await store.findRoom(database, call.org, id)
    const sound = new RecordedSound(body, most === null ? Infinity : most - kept + own, format)
    // of this upload alone, so that of several at once each is whole
    const key = `${call.org}/${newId(id, 6)}.${format}`
    await ledger.beginUpload(blobs, key)
    try {
      const bytes = await blobs.put(key, sound, mediaTypes[format])
      const recording = { call: id, bytes, durationMs: sound.durationMs, format, peaks }
      await database.transaction((tx) => this.#keep(tx, call.org, recording, blobs, key))
      await this.deleteRemoved()
      return { call: id, bytes, duration_ms: recording.durationMs }
    } catch (error) {
      sound.drop()
      await ledger.failUpload(blobs, key).catch(() => {}) // it is given up in a day all the same
      if (error instanceof BlobStoreFailure) throw this.#away(error, 'stored')
      await this.deleteRemoved()
      throw error
    }
  }

  async find({ org, env }: Caller, id: string): Promise<FoundRecording> {
    const { blobs, key, bytes, format } = await this.#find(org, env, id)
    const read = async (range: ByteRange) => {
      const content = await this.#reading(blobs.read(key, range))
      if (!content) throw noRecording(id)
      return content
    }
    return { bytes, mediaType: mediaTypes[format], read }
  }

  /** For players and downloads that have no key of ours. */
  async link({ org, env }: Caller, id: string): Promise<RecordingLink> {
    const { blobs, key, format } = await this.#find(org, env, id)
    const file = { name: `${id}.${format}`, mediaType: mediaTypes[format] }
    const link = await this.#reading(blobs.link(key, file))
    return { url: link?.url ?? null, expires_at: link ? Math.floor(link.expiresAt.getTime() / 1000) : null }
  }

  /** For a player, which draws it before it has read the sound. */
  async waveform({ org, env }: Caller, id: string): Promise<Waveform> {
    const found = await store.findWaveform(this.#parts.database, id, org, env)
    if (!found) throw unknownCall(id)
    if (found.duration_ms === null) throw noRecording(id)
    const { duration_ms, peaks } = found
    const side = (first: 0 | 1) => peaks && Array.from(peaks).filter((_, at) => at % 2 === first)
    return { duration_ms, caller: side(0), agent: side(1) }
  }

  /** Their blobs are left in the ledger by the same transaction; call `deleteRemoved` after it. */
  async remove(tx: Transaction, calls: readonly string[]) {
    await store.deleteRecordings(tx, calls)
  }

  /** What cannot be deleted now is deleted later. */
  deleteRemoved(): Promise<void> {
    return this.#parts.ledger.removeDueNow()
  }

  async #keep(
    tx: Transaction,
    org: string,
    recording: Omit<store.KeptRecording, 'place' | 'blob'>,
    blobs: BlobStore,
    key: string,
  ) {
    const { clock, log, ledger } = this.#parts
    const { call, bytes, durationMs } = recording
    const locked = await log.lock(tx, call)
    if (!locked || (await store.isGone(tx, call))) throw conflict(`what was said in call ${call} was erased`)
    if (!(await store.countBytes(tx, org, call, bytes))) throw tooMuch()
    await store.putRecording(tx, { ...recording, place: blobs.place, blob: key }, clock.now())
    await ledger.endUpload(tx, blobs, key)
    const stored = { type: 'recording.stored', data: { bytes, durationMs } }
    if (!locked.sealed) await log.appendIn(tx, callLog({ ...locked, id: call }), [stored])
  }

  async #find(org: string, env: Caller['env'], id: string) {
    const { database, stores } = this.#parts
    this.#requireStore()
    const found = await store.findRecording(database, id, org, env)
    if (!found) throw unknownCall(id)
    const { place, key, bytes, format } = found
    if (place === null || key === null || bytes === null || format === null) throw noRecording(id)
    const blobs = stores.find((each) => each.place === place)
    if (!blobs)
      throw unavailable(
        `the recording of call ${id} is kept in a ${place}, and this gateway has none: the operator sets ${settingOf[place]}`,
      )
    return { blobs, key, bytes, format }
  }

  #reading<T>(reading: Promise<T>): Promise<T> {
    return reading.catch((error: unknown) => {
      throw error instanceof BlobStoreFailure ? this.#away(error, 'read') : error
    })
  }

  #away(failure: BlobStoreFailure, done: 'stored' | 'read') {
    this.#parts.logger.warn({ err: failure }, `a recording could not be ${done}`)
    return unavailable(`recordings cannot be ${done} at the moment: ${failure.message}`, storeAwayS)
  }

  #requireStore(): BlobStore {
    const [blobs] = this.#parts.stores
    if (!blobs)
      throw unavailable(
        'recordings are not kept on this deployment: the operator sets SVC_RECORDINGS or SVC_S3_BUCKET',
      )
    return blobs
  }
}

const settingOf = { folder: 'SVC_RECORDINGS', bucket: 'SVC_S3_BUCKET' } as const

const noRecording = (call: string) => notFound(`call ${call} has no recording`)

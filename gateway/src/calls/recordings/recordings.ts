import { mkdir, open, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import type { StoredRecording } from '@switchroom/contract/recordings'
import type { Database, Transaction } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import type { Clock } from '../../foundation/clock.ts'
import { badRequest, conflict, notFound, Refusal, unavailable } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'
import type { Log } from '../log/log.ts'
import { callLog } from '../log/entries.ts'
import { unknownCall, type EntryAppender } from '../spoken/entry-appender.ts'
import * as store from './recordings.store.ts'
import { wavDurationMs } from './wav-file.ts'

const mostMegabytes = 200
const mostBytes = mostMegabytes * 1024 * 1024

export interface RecordingParts {
  database: Database
  clock: Clock
  log: Log
  calls: Pick<EntryAppender, 'find'>
  /** Shared by all gateways; undefined: no recordings. */
  folder: string | undefined
}

/** Recordings of calls: one file each, deleted together with the call's entries. */
export class Recordings {
  readonly #parts: RecordingParts

  constructor(parts: RecordingParts) {
    this.#parts = parts
  }

  /** Logged if the call is still open; a second recording replaces the first. */
  async store(caller: Caller, id: string, sound: Readable): Promise<StoredRecording> {
    const { database, clock, log, calls } = this.#parts
    const folder = this.#folder
    const call = await calls.find(caller, id)
    const path = pathIn(folder, call.org, id)
    const part = `${path}.${newId('part', 6)}`
    try {
      const { most, bytes: kept, own } = await store.findRoom(database, call.org, id)
      const room = most === null ? Infinity : most - kept + own
      const { bytes, durationMs } = await written(part, sound, room)
      await database.transaction(async (tx) => {
        const locked = await log.lock(tx, id)
        if (!locked || (await store.isGone(tx, id))) throw conflict(`what was said in call ${id} was erased`)
        if (!(await store.countBytes(tx, call.org, id, bytes))) throw tooMuch()
        await store.putRecording(tx, { call: id, bytes, durationMs }, clock.now())
        const stored = { type: 'recording.stored', data: { bytes, durationMs } }
        if (!locked.sealed) await log.appendIn(tx, callLog({ ...locked, id }), [stored])
        await rename(part, path)
      })
      return { call: id, bytes, duration_ms: durationMs }
    } finally {
      await rm(part, { force: true })
    }
  }

  async find({ org, env }: Caller, id: string): Promise<{ path: string; bytes: number }> {
    const folder = this.#folder
    const found = await store.findRecording(this.#parts.database, id, org, env)
    if (!found) throw unknownCall(id)
    const path = pathIn(folder, org, id)
    const file = found.is_recorded ? await stat(path).catch(() => undefined) : undefined
    if (!file) throw notFound(`call ${id} has no recording`)
    return { path, bytes: file.size }
  }

  /** Deletes the files before the rows that name them are committed as gone, so that no file is orphaned. */
  async remove(tx: Transaction, calls: readonly { id: string; org: string }[]) {
    const { folder } = this.#parts
    const ids = calls.map(({ id }) => id)
    await store.deleteRecordings(tx, ids)
    if (folder !== undefined)
      for (const { id, org } of calls) await rm(pathIn(folder, org, id), { force: true })
  }

  get #folder(): string {
    const { folder } = this.#parts
    if (folder === undefined)
      throw unavailable('recordings are not kept on this deployment: the operator sets SVC_RECORDINGS')
    return folder
  }
}

/** Safe: ids of orgs and calls are letters, digits, dashes and underscores. */
const pathIn = (folder: string, org: string, call: string) => join(folder, org, `${call}.wav`)

async function written(
  path: string,
  sound: Readable,
  room: number,
): Promise<{ bytes: number; durationMs: number }> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await using file = await open(path, 'wx+', 0o600)
  const bytes = await copied(sound, file, room)
  const durationMs = await wavDurationMs(file, bytes)
  if (durationMs === undefined) throw badRequest('a recording is a WAV file')
  return { bytes, durationMs }
}

async function copied(sound: Readable, file: FileHandle, room: number): Promise<number> {
  let bytes = 0
  try {
    for await (const chunk of sound.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > mostBytes) throw tooLong()
      if (bytes > room) throw tooMuch()
      await file.appendFile(chunk)
    }
    return bytes
  } catch (error) {
    if (sound.errored) throw badRequest('the recording broke off')
    sound.resume() // unread data would keep the sender from reading the refusal
    throw error
  }
}

const tooMuch = () =>
  new Refusal(
    429,
    "the org's recordings have reached their cap: delete some by erasing contacts, or ask the operator for more",
    { connection: 'close' },
  )
const tooLong = () => new Refusal(413, `a recording has ${mostMegabytes} MB at most`, { connection: 'close' })

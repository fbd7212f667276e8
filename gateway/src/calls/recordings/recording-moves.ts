import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Logger } from 'pino'
import type { Database } from '../../database/database.ts'
import type { BlobStore } from '../../foundation/blobs/blob-store.ts'
import { minuteMs } from '../../foundation/clock.ts'
import { newId } from '../../foundation/secrets.ts'
import type { BlobLedger } from '../../database/blobs/blob-ledger.ts'
import { mediaTypes } from './recording-formats.ts'
import * as store from './recordings.store.ts'

const atOnce = 100

export interface RecordingMovesParts {
  database: Database
  logger: Pick<Logger, 'info' | 'warn'>
  /** The first one is where recordings belong. */
  stores: readonly BlobStore[]
  ledger: BlobLedger
}

/** Moves recordings from a store that is still set to the one that new recordings go to, while gateways serve. */
export class RecordingMoves {
  readonly #parts: RecordingMovesParts
  #isDone: boolean
  readonly task: PeriodicTask

  constructor(parts: RecordingMovesParts) {
    this.#parts = parts
    this.#isDone = parts.stores.length < 2
    const run = (signal: AbortSignal) => this.run(signal)
    this.task = { name: 'move recordings', everyMs: minuteMs, runsAtStart: true, run }
  }

  /** One after the other, beside other gateways; whatever a run leaves, the next one takes. */
  async run(signal: AbortSignal): Promise<void> {
    const [to] = this.#parts.stores
    if (this.#isDone || !to) return
    // each gateway begins elsewhere, so that several hardly ever move the same
    const middle = newId('call', 4)
    const [moved, left] = [
      await this.#moveSome({ after: middle, upTo: null }, to, signal),
      await this.#moveSome({ after: '', upTo: middle }, to, signal),
    ].reduce(([m, l], [more, less]) => [m + more, l + less], [0, 0])
    if (moved + left > 0) this.#parts.logger.info({ moved, left }, `recordings were moved to the ${to.place}`)
    this.#isDone = left === 0 && !signal.aborted
  }

  /** Answers how many it moved, and how many have to be tried again. */
  async #moveSome(
    { after, upTo }: { after: string; upTo: string | null },
    to: BlobStore,
    signal: AbortSignal,
  ): Promise<[moved: number, left: number]> {
    const { database, ledger, stores } = this.#parts
    const places = stores.map(({ place }) => place)
    let [moved, left, from] = [0, 0, after]
    while (!signal.aborted) {
      const some = await store.nextElsewhere(database, { after: from, upTo }, to.place, places, atOnce)
      for (const recording of some) {
        if (signal.aborted) break
        if (await this.#move(recording, to)) moved += 1
        else left += 1
      }
      await ledger.removeDue(signal)
      if (some.length < atOnce) break
      from = some.at(-1)?.call ?? from
    }
    return [moved, left]
  }

  /** False if it has to be tried again. Under a new key: another gateway may be moving the same. */
  async #move(recording: store.ElsewhereRow, to: BlobStore): Promise<boolean> {
    const { database, ledger, logger, stores } = this.#parts
    const { call, org, place, key, format } = recording
    if (!(await store.isStillThere(database, recording))) return true
    const blob = `${org}/${newId(call, 6)}.${format}`
    await ledger.beginUpload(to, blob)
    try {
      const content = await stores.find((each) => each.place === place)?.read(key)
      if (content) await to.put(blob, content, mediaTypes[format])
      else logger.warn({ call, place }, 'a recording is not there any more and cannot be moved')
      const isMoved = await database.transaction(async (tx) => {
        if (!content || !(await store.moveRecording(tx, recording, to.place, blob))) return false
        await ledger.endUpload(tx, to, blob)
        return true
      })
      // erased, replaced or moved meanwhile
      if (!isMoved) await ledger.failUpload(to, blob)
      return true
    } catch (error) {
      await ledger.failUpload(to, blob)
      logger.warn({ err: error, call }, 'a recording was not moved and is tried again')
      return false
    }
  }
}

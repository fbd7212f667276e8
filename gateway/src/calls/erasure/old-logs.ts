import type { Database, Transaction } from '../../database/database.ts'
import type { Lives } from '../../database/lives.ts'
import { later, type Clock } from '../../foundation/clock.ts'
import type { Recordings } from '../recordings/recordings.ts'
import { dropMonths, leftFrom } from './old-months.ts'
import * as store from './old-logs.store.ts'

const callsAtOnce = 100
const entriesAtOnce = 500

/** Deletes what other rooms keep about the words of these calls. */
export type ForgetWords = (tx: Transaction, calls: readonly string[]) => Promise<unknown>

export interface OldLogsParts {
  database: Database
  clock: Clock
  lives: Pick<Lives, 'keptMs'>
  recordings: Pick<Recordings, 'remove' | 'deleteRemoved'>
  forgetWords: ForgetWords
}

/**
 * Deletes logs of calls that ended before the operator's retention time, or drops them with their month, and as old
 * entries of agents' own logs.
 */
export class OldLogs {
  readonly #parts: OldLogsParts

  constructor(parts: OldLogsParts) {
    this.#parts = parts
  }

  /** Answers how many entries nothing reads any more. */
  async forget(signal: AbortSignal): Promise<number> {
    const keptMs = await this.#keptMs()
    if (keptMs === undefined) return 0
    const { clock, database } = this.#parts
    const before = later(clock.now(), -keptMs)
    const ofCalls = await this.#forgetCalls(before, leftFrom(keptMs), signal)
    await dropMonths(database, before, signal)
    return ofCalls + (await this.#forgetAgents(before, signal))
  }

  /** A record that is deleted takes its log with it, so that the shorter life counts. */
  async #keptMs(): Promise<number | undefined> {
    const { lives } = this.#parts
    const kept = [await lives.keptMs('logs'), await lives.keptMs('calls')].filter((ms) => ms !== undefined)
    return kept.length === 0 ? undefined : Math.min(...kept)
  }

  /** In batches, so that no writer waits for long. */
  async #forgetCalls(before: Date, leftFromMonth: number | null, signal: AbortSignal): Promise<number> {
    const { database, recordings, forgetWords } = this.#parts
    let gone = 0
    while (!signal.aborted) {
      const { calls, entries } = await database.transaction(async (tx) => {
        const forgotten = await store.deleteSome(tx, before, callsAtOnce, leftFromMonth)
        if (forgotten.calls.length === 0) return forgotten
        const ids = forgotten.calls.map(({ id }) => id)
        await forgetWords(tx, ids)
        await recordings.remove(tx, ids)
        return forgotten
      })
      gone += entries
      if (calls.length === 0) break
      await recordings.deleteRemoved()
    }
    return gone
  }

  async #forgetAgents(before: Date, signal: AbortSignal): Promise<number> {
    const { database } = this.#parts
    let gone = 0
    let log = await store.nextOfAgents(database, { org: '', env: '', agent: '' }, before)
    while (log && !signal.aborted) {
      const { id } = log
      const some = await database.transaction((tx) => store.deleteOldest(tx, id, before, entriesAtOnce))
      gone += some
      if (some < entriesAtOnce) log = await store.nextOfAgents(database, log, before)
    }
    return gone
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Database, Transaction } from '../../database/database.ts'
import { minuteMs, type Clock } from '../../foundation/clock.ts'
import * as store from './backfills.store.ts'

/** Few enough that a call whose log is locked meanwhile hardly waits. */
const callsAtOnce = 100

/** Derives rows from the calls that are older than the table for them, some at a time, while the gateway serves. */
export class CallBackfill {
  readonly #database: Database
  readonly #clock: Clock
  readonly #name: string
  readonly #derive: (tx: Transaction, calls: readonly string[]) => Promise<unknown>
  #isDone = false
  readonly task: PeriodicTask

  constructor(
    database: Database,
    clock: Clock,
    name: string,
    derive: (tx: Transaction, calls: readonly string[]) => Promise<unknown>,
  ) {
    this.#database = database
    this.#clock = clock
    this.#name = name
    this.#derive = derive
    const run = (signal: AbortSignal) => this.run(signal)
    this.task = { name: `backfill of ${name}`, everyMs: minuteMs, runsAtStart: true, run }
  }

  /** Whether every call has its rows. It never becomes false again. */
  async isDone(): Promise<boolean> {
    this.#isDone ||= await store.isDone(this.#database, this.#name)
    return this.#isDone
  }

  /** To the end, unless another gateway is at it. Rests as long as it works, for requests come first. */
  async run(signal: AbortSignal) {
    if (await this.isDone()) return
    let workedMs = 0
    do {
      await pause(workedMs, undefined, { signal }).catch(() => {})
      const begunMs = performance.now()
      const isMore = !signal.aborted && (await this.#runOnce())
      workedMs = performance.now() - begunMs
      if (!isMore) return
    } while (!signal.aborted)
  }

  #runOnce(): Promise<boolean> {
    return this.#database.transaction(async (tx) => {
      const at = await store.takeBackfill(tx, this.#name)
      if (!at) return false
      const calls = (await store.nextCalls(tx, at.reached, callsAtOnce)).map(({ id }) => id)
      const last = calls.at(-1)
      if (last === undefined) {
        await store.endBackfill(tx, this.#name, this.#clock.now())
        return false
      }
      // Before they are read: what is erased now is not to come back.
      await store.lockLogs(tx, calls)
      await this.#derive(tx, calls)
      await store.reachCall(tx, this.#name, last)
      return true
    })
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Database, Transaction } from '../../database/database.ts'
import { minuteMs, type Clock } from '../../foundation/clock.ts'
import * as store from './backfills.store.ts'

/** Few enough that a call whose log is locked meanwhile hardly waits. */
const callsAtOnce = 100

/** Derives some rows more, after those that an earlier step reached; answers how far it came, undefined at the end. */
export type Step = (tx: Transaction, reached: string) => Promise<string | undefined>

/** Derives rows for a table from what is older than the table, some at a time, while the gateway serves. */
export class Backfill {
  readonly #database: Database
  readonly #clock: Clock
  readonly #name: string
  readonly #step: Step
  #isDone = false
  readonly task: PeriodicTask

  constructor(database: Database, clock: Clock, name: string, step: Step) {
    this.#database = database
    this.#clock = clock
    this.#name = name
    this.#step = step
    const run = (signal: AbortSignal) => this.run(signal)
    this.task = { name: `backfill of ${name}`, everyMs: minuteMs, runsAtStart: true, run }
  }

  /** Whether every row is derived. It never becomes false again. */
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
      const reached = await this.#step(tx, at.reached)
      if (reached === undefined) await store.endBackfill(tx, this.#name, this.#clock.now())
      else await store.reach(tx, this.#name, reached)
      return reached !== undefined
    })
  }
}

/** The same from calls, in the order of their ids. */
export class CallBackfill extends Backfill {
  constructor(
    database: Database,
    clock: Clock,
    name: string,
    derive: (tx: Transaction, calls: readonly string[]) => Promise<unknown>,
  ) {
    super(database, clock, name, async (tx, reached) => {
      const calls = (await store.nextCalls(tx, reached, callsAtOnce)).map(({ id }) => id)
      // Before they are read: what is erased now is not to come back.
      await store.lockLogs(tx, calls)
      await derive(tx, calls)
      return calls.at(-1)
    })
  }
}

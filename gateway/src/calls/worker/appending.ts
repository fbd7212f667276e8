import type { AppendEntries, Appended, NewEntry } from '@switchroom/contract/log'
import type { Database, Transaction } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { later, secondMs, type Clock } from '../../foundation/clock.ts'
import { conflict, notFound } from '../../foundation/refusals.ts'
import type { VendorWindow } from '../../providers/ordering/vendor-window.ts'
import { notTaken, type Log } from '../log/log.ts'
import { callLog } from '../log/stamping.ts'
import type { Pricing } from '../metering/pricing.ts'
import * as store from './calls.store.ts'
import { readRuns, type Run } from './entry-rules.ts'

/** How far a sign of life may be behind, so that not every entry writes one. */
export const beatLagMs = secondMs

export interface AppendingParts {
  database: Database
  clock: Clock
  log: Log
  pricing: Pricing
  vendorWindow: VendorWindow
}

/** What a worker tells of the call it runs. */
export class Appending {
  readonly #parts: AppendingParts

  constructor(parts: AppendingParts) {
    this.#parts = parts
  }

  /** A batch is taken once, however often it comes; a list without entries says that the worker lives. */
  async append(caller: Caller, call: string, { entries, batch }: AppendEntries): Promise<Appended> {
    const runs = await this.#priced(readRuns(entries))
    return this.#parts.database.transaction(async (tx) => {
      const held = await this.hold(tx, caller, call, batch)
      if (batch !== undefined && batch <= held.batch) return { seq: held.seq }
      if (held.sealed) throw notTaken()
      const next = held.batch + 1
      if (batch !== undefined && batch > next)
        throw conflict(`batch ${batch} came before batch ${next}: send that one first`)
      return { seq: (await this.#write(tx, held, runs)) ?? held.seq }
    })
  }

  /** The caller's call, which a worker runs, held until the end of the transaction; whatever it does, it lives. */
  async hold(tx: Transaction, { org, env }: Caller, call: string, batch?: number): Promise<store.HeldCall> {
    const now = this.#parts.clock.now()
    const unlessSince = later(now, -beatLagMs)
    const held = await store.holdCall(tx, { call, org, env, batch: batch ?? null, now, unlessSince })
    if (!held) throw unknownCall(call)
    if (!isSpoken(held)) throw conflict(`call ${call} is a written one, and no worker runs those`)
    return held
  }

  /** In the order they came, also where some are kept and some only shown. */
  async #write(tx: Transaction, held: store.HeldCall, runs: readonly Run[]): Promise<number | undefined> {
    const { log } = this.#parts
    const ref = callLog(held)
    let last: number | undefined
    for (const { isEphemeral, entries } of runs)
      if (isEphemeral) tx.afterCommit(() => log.show(ref, entries))
      else {
        last = (await log.appendIn(tx, ref, entries)).at(-1)?.seq
        tx.afterCommit(() => this.#countFailures(held.id, entries))
      }
    return last
  }

  #countFailures(call: string, entries: readonly NewEntry[]) {
    for (const { type, data } of entries) {
      const { vendor, state } = data
      const isFailure = type === 'error' || (type === 'vendor.switched' && state === 'down')
      if (isFailure && typeof vendor === 'string') this.#parts.vendorWindow.failed(vendor, call)
    }
  }

  #priced(runs: readonly Run[]): Promise<Run[]> {
    return Promise.all(
      runs.map(async ({ isEphemeral, entries }) => ({
        isEphemeral,
        entries: await this.#parts.pricing.priced(entries),
      })),
    )
  }
}

export const isSpoken = ({ channel }: { channel: string }) => channel === 'web' || channel === 'phone'

export const unknownCall = (call: string) => notFound(`there is no call ${call}`)

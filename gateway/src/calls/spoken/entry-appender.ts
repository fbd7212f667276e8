import type { AppendEntries, Appended, NewEntry } from '@switchroom/contract/log'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import { Gathered } from '../../database/gathered.ts'
import type { Caller } from '../../foundation/caller.ts'
import { secondMs, type Clock } from '../../foundation/clock.ts'
import { badRequest, conflict, notFound } from '../../foundation/refusals.ts'
import type { VendorWindow } from '../../providers/vendor-order/vendor-window.ts'
import { numberToOptOut, type RecordOptOut } from '../contacts/opt-out.ts'
import { notTaken, type Log, type Run } from '../log/log.ts'
import { callLog, type KeptEntry } from '../log/entries.ts'
import type { EntryMeter } from '../metering/entry-metrics.ts'
import type { Pricing } from '../metering/pricing.ts'
import type { Memories } from '../memory/memories.ts'
import * as store from './spoken-calls.store.ts'
import { isLearned, readRuns } from './entry-rules.ts'

/** How far a stored heartbeat may be behind, so that not every entry writes one. */
export const heartbeatLagMs = secondMs

const mostAtOnce = 100

export interface EntryAppenderParts {
  database: Database
  clock: Clock
  log: Log
  pricing: Pricing
  vendorWindow: VendorWindow
  meter: Pick<EntryMeter, 'measured'>
  recordOptOut: RecordOptOut
  memories: Pick<Memories, 'keep'>
}

/** Appends the entries that a worker sends for the call it runs. */
export class EntryAppender {
  readonly #parts: EntryAppenderParts
  /** Thousands of live calls append at once. */
  readonly #calls: Gathered<store.RunCallAsked, store.RunCall | undefined>
  readonly #heartbeats: Gathered<store.Heartbeat, store.Heartbeat>

  constructor(parts: EntryAppenderParts) {
    this.#parts = parts
    const { database } = parts
    this.#calls = new Gathered((asked) => store.findRunCalls(database, asked), mostAtOnce)
    this.#heartbeats = new Gathered(async (beating) => {
      await store.setHeartbeats(database, beating)
      return beating
    }, mostAtOnce)
  }

  /** A batch is stored once, however often it comes; a list without entries is a heartbeat. */
  async append(caller: Caller, id: string, { entries, batch }: AppendEntries): Promise<Appended> {
    const runs = await this.#priced(readRuns(entries))
    const call = await this.find(caller, id)
    if (batch !== undefined && batch <= call.batch) return { seq: call.seq }
    if (call.sealed) throw notTaken()
    const next = call.batch + 1
    if (batch !== undefined && batch > next)
      throw conflict(`batch ${batch} came before batch ${next}: send that one first`)
    await this.#keepHeartbeat(this.#parts.database, call, (beat) => this.#heartbeats.one(beat))
    if (runs.length === 0 && batch === undefined) return { seq: call.seq }
    return this.#write(caller, call, runs, batch)
  }

  /** The caller's call, which a worker runs. */
  async find({ org, env }: Caller, id: string): Promise<store.RunCall> {
    return spoken(id, await this.#calls.one({ id, org, env }))
  }

  /** The same, locked to the end of the transaction and not ended; counts as a heartbeat. */
  async lock(tx: Transaction, { org, env }: Caller, id: string): Promise<store.RunCall> {
    const call = spoken(id, await store.lockRunCall(tx, id, org, env))
    if (call.sealed) throw notTaken()
    await this.#keepHeartbeat(tx, call, (beat) => store.setHeartbeats(tx, [beat]))
    return call
  }

  async #keepHeartbeat(
    database: Queryable,
    { id, beat_at }: store.RunCall,
    keep: (beat: store.Heartbeat) => Promise<unknown>,
  ) {
    const at = this.#parts.clock.now()
    if (beat_at === null) await store.setFirstHeartbeat(database, id, at)
    else if (at.getTime() - Date.parse(beat_at) >= heartbeatLagMs) await keep({ id, at })
  }

  async #write(caller: Caller, call: store.RunCall, runs: readonly Run[], batch?: number): Promise<Appended> {
    try {
      const kept = await this.#keep(call, runs, batch ?? null)
      this.#countFailures(caller, call.id, runs)
      if (caller.kind === 'fleet')
        for (const { isEphemeral, entries } of runs)
          if (!isEphemeral) this.#parts.meter.measured(caller.env, entries)
      return { seq: kept.at(-1)?.seq ?? call.seq }
    } catch (error) {
      // the same batch may have come concurrently
      const now = await this.find(caller, call.id)
      if (batch !== undefined && batch <= now.batch) return { seq: now.seq }
      throw error
    }
  }

  /** Opt-outs and learned facts are stored in the same transaction as their batch. */
  #keep(call: store.RunCall, runs: readonly Run[], batch: number | null): Promise<KeptEntry[]> {
    const { database, log } = this.#parts
    const isActedOn = ({ type }: NewEntry) => type === 'call.opt_out' || type === 'memory.ops'
    if (!runs.some(({ entries }) => entries.some(isActedOn)))
      return log.appendBatch(callLog(call), runs, batch)
    const isOptedOut = runs.some(({ entries }) => entries.some(isOptOut))
    const number = isOptedOut ? numberToOptOut(call) : null
    const numbered = runs.map(({ isEphemeral, entries }) => ({
      isEphemeral,
      entries: entries.map((entry) => (isOptOut(entry) ? { ...entry, data: { number } } : entry)),
    }))
    refuseMemoryOfOthers(call, numbered)
    return database.transaction(async (tx) => {
      if (number !== null) await this.#parts.recordOptOut(tx, { org: call.org, number, call: call.id })
      const kept = await log.appendBatchIn(tx, callLog(call), numbered, batch)
      for (const { type, data } of numbered.flatMap(({ entries }) => entries))
        if (type === 'memory.ops' && isLearned(data)) await this.#parts.memories.keep(tx, call, data)
      return kept
    })
  }

  /** A failure that the fleet reports counts for the platform too, one from an org's own worker for that org only. */
  #countFailures({ kind, org }: Caller, call: string, runs: readonly Run[]) {
    const { vendorWindow } = this.#parts
    for (const { type, data } of runs.flatMap(({ entries }) => entries)) {
      const { vendor, state } = data
      const isFailure = type === 'error' || (type === 'vendor.switched' && state === 'down')
      if (!isFailure || typeof vendor !== 'string') continue
      if (kind === 'fleet') vendorWindow.failed(vendor, call)
      vendorWindow.failed(vendor, call, org)
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

const isOptOut = ({ type }: NewEntry) => type === 'call.opt_out'

function refuseMemoryOfOthers({ id, contact }: store.RunCall, runs: readonly Run[]) {
  for (const { type, data } of runs.flatMap(({ entries }) => entries))
    if (type === 'memory.ops' && data['contact'] !== contact)
      throw badRequest(
        `memory.ops is about the contact of the call, and call ${id} ${contact === null ? 'has none' : `is with ${contact}`}`,
      )
}

function spoken(id: string, call: store.RunCall | undefined): store.RunCall {
  if (!call) throw unknownCall(id)
  if (!isSpoken(call)) throw conflict(`call ${id} is a written one, and no worker runs those`)
  return call
}

export const isSpoken = ({ channel }: { channel: string }) => channel === 'web' || channel === 'phone'

export const unknownCall = (call: string) => notFound(`there is no call ${call}`)

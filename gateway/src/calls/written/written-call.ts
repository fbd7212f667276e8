import type { Entry, NewEntry } from '@switchroom/contract/log'
import { isOpened, runOpening } from '@switchroom/session/opening'
import type { TurnParts } from '@switchroom/session/parts'
import { runTurn, type TurnEnd } from '@switchroom/session/turn'
import { activePlace, inSpan, runAt } from '@switchroom/telemetry/tracing'
import type { Logger } from 'pino'
import type { RunningGateways } from '../../agents/apps/running-gateways.ts'
import type { Database } from '../../database/database.ts'
import { secondMs, type Clock } from '../../foundation/clock.ts'
import { Refusal } from '../../foundation/refusals.ts'
import type { AssignedApp } from '../app-requests/app-requests.ts'
import type { Log } from '../log/log.ts'
import { aboutCall, callLog, type LogRef } from '../log/entries.ts'
import type { LiveLogs } from '../log/live-logs.ts'
import type { Pricing } from '../metering/pricing.ts'
import type { MessageQuota } from './message-quota.ts'
import { FollowedLog } from './followed-log.ts'
import { idleEntries, quietEntries } from './idleness.ts'
import type { OpenOutlet, Outlet } from './outlets.ts'
import { entriesFor, stateOf, type WrittenCallState, type WaitingTurn } from './written-call-state.ts'
import type { WrittenCallRecord } from './written-calls.store.ts'
import { turnParts, type TurnSources } from './turn-parts.ts'

/** A turn that failed on our side is retried with backoff up to this. */
const longestPauseMs = 30 * secondMs

export interface WrittenCallParts extends TurnSources {
  database: Database
  clock: Clock
  logger: Logger
  log: Log
  liveLogs: LiveLogs
  messageQuota: MessageQuota
  pricing: Pricing
  gateways: Pick<RunningGateways, 'id' | 'alive' | 'forget'>
  /** How long a chat may be silent before it ends. */
  idleMs: number
  openOutlet: OpenOutlet
}

/**
 * A written call on the gateway that runs it. The log is its queue: user messages are answered in sequence, and a
 * gateway that adopts the call after a restart reads from the log what is left to do.
 */
export class WrittenCall {
  readonly record: WrittenCallRecord
  readonly #parts: WrittenCallParts
  readonly #ref: LogRef
  readonly #log: FollowedLog
  readonly #onGone: () => void
  readonly #outlet: Outlet | undefined
  /** Whether this gateway opened it. */
  readonly #isFresh: boolean
  /** The state that the log had at this `seq`. */
  #read = { seq: 0, state: stateOf([]) }
  #isGone = false
  #isGreeted = false
  #working: Promise<void> | undefined
  #hasNews = false
  #turn: AbortController | undefined
  #memoryWork: Promise<void> = Promise.resolve()
  readonly #left = new AbortController()
  /** Entries come in the events of others: what follows from them is put here. */
  readonly #place = activePlace()
  /** The `seq` of the newest user message that was answered. */
  #answeredTo = 0
  #lastKept = 0
  #failures = 0
  #notBeforeMs = 0
  #awaitsApp = false

  constructor(record: WrittenCallRecord, parts: WrittenCallParts, isFresh: boolean, onGone: () => void) {
    this.record = record
    this.#parts = parts
    this.#ref = callLog(record)
    this.#log = new FollowedLog(record.id, parts, () => this.#grew())
    this.#isFresh = isFresh
    this.#onGone = onGone
    this.#outlet = parts.openOutlet(record)
  }

  start(): Promise<void> {
    return this.#log.start()
  }

  /** Releases the call at once; the gateway that adopts it repeats a turn under way. */
  async leave() {
    this.#release()
    await this.#outlet?.leave()
    await this.#working
    await this.#memoryWork
  }

  /** Whether it has a turn to run and no app is connected for its agent. */
  get awaitsApp(): boolean {
    return this.#awaitsApp && !this.#isGone
  }

  appConnected() {
    this.#awaitsApp = false
    this.#wake()
  }

  /** Called every second: ends a silent call, and retries turns that had to wait. */
  poll(now: Date) {
    if (this.#isGone || !this.#log.isRead) return
    const state = this.#state()
    const idle = this.#turn || state.activeAt === 0 ? [] : this.#idleEntries(state, now)
    if (idle.length > 0) void this.#keepIdle(idle)
    else if (!this.#awaitsApp && (state.waiting.length > 0 || this.#isGreetingDue(state))) this.#wake()
  }

  #idleEntries(state: WrittenCallState, now: Date): NewEntry[] {
    if (this.record.channel === 'msgapp') return quietEntries(state, now)
    return idleEntries(state, this.#parts.idleMs, now)
  }

  #release() {
    if (this.#isGone) return
    this.#isGone = true
    this.#log.stop()
    this.#turn?.abort()
    this.#left.abort()
    if (this.#read.state.isEnded) this.#outlet?.finish()
    else void this.#outlet?.leave()
    this.#onGone()
  }

  #grew() {
    const state = this.#state()
    this.#outlet?.take(this.#log.entries)
    if (state.isEnded) return this.#release()
    if (state.isHeld) {
      this.#isGreeted = true // the person who took the call over speaks first
      this.#turn?.abort()
    }
    this.#wake()
  }

  #state(): WrittenCallState {
    const { seq, entries } = this.#log
    if (seq !== this.#read.seq) this.#read = { seq, state: stateOf(entries) }
    const { state } = this.#read
    const isOpen = ({ messages }: WaitingTurn) => (messages.at(-1)?.seq ?? 0) > this.#answeredTo
    return { ...state, waiting: state.waiting.filter(isOpen) }
  }

  /** On an adopted call, only if it has no message yet. */
  #isGreetingDue({ isGreeted }: WrittenCallState): boolean {
    if (this.#isGreeted) return false
    return this.#isFresh ? !isGreeted : !isOpened(this.#log.entries)
  }

  #wake() {
    this.#hasNews = true
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined
      if (this.#hasNews && !this.#isGone) this.#wake()
    })
  }

  async #work() {
    while (this.#hasNews && !this.#isGone) {
      this.#hasNews = false
      try {
        while (await this.#runNext()) this.#failures = 0
      } catch (error) {
        await this.#failed(error)
      }
    }
  }

  /** Whether there may be more to do. */
  async #runNext(): Promise<boolean> {
    await this.#untilDelivered()
    const state = this.#state()
    const [next] = state.waiting
    const isGreetingDue = this.#isGreetingDue(state)
    if (this.#isGone || state.isEnded || state.isHeld || !(next || isGreetingDue)) return false
    if (performance.now() < this.#notBeforeMs) return false
    const app = await this.#parts.appRequests.appOf(this.record)
    this.#awaitsApp = app === null
    if (!app) return false
    const turn = new AbortController()
    this.#turn = turn
    try {
      if (this.#isGone || this.#state().isHeld) return false
      if (isGreetingDue) await this.#traced('greeting', () => this.#greet(app, turn.signal))
      else if (next) await this.#traced('turn', () => this.#answer(next, app, turn.signal))
      return true
    } catch (error) {
      if (turn.signal.aborted) return false
      throw error
    } finally {
      this.#turn = undefined
    }
  }

  #traced(name: string, work: () => Promise<void>): Promise<void> {
    return runAt(this.#place, () => inSpan(name, {}, work))
  }

  async #greet(app: AssignedApp, signal: AbortSignal) {
    const silent = this.#log.entries.filter(({ type }) => type !== 'user.message')
    await this.#end(await runOpening(await this.#turnParts(app, silent), signal))
    this.#isGreeted = true
  }

  async #answer(turn: WaitingTurn, app: AssignedApp, signal: AbortSignal) {
    const seqs = turn.messages.map(({ seq }) => seq)
    if (!(await this.#isAdmitted(seqs))) return
    const parts = await this.#turnParts(app, entriesFor(turn, this.#log.entries))
    const newest = turn.messages.at(-1)
    const hasAnswered = newest && this.#outlet?.answering(newest)
    const end = await runTurn(parts, signal).finally(hasAnswered)
    this.#answeredTo = Math.max(...seqs)
    await this.#end(end)
    this.#memoryWork = this.#memoryWork.then(() => this.#learn(parts))
  }

  /** In the background, one reply after the other. */
  async #learn({ instructions: { memory }, models, nowMs }: TurnParts) {
    if (this.#isGone || memory === null) return
    try {
      await this.#log.untilSeen(this.#lastKept)
      const parts = { memory, models, entries: [...this.#log.entries], keep: this.#keep, nowMs }
      await this.#parts.memories.learn(this.record, parts, this.#left.signal)
    } catch (error) {
      this.#warn(error, 'facts learned about a contact were not stored')
    }
  }

  /** A turn past the org's quota stays unanswered, and the call ends with it. */
  async #isAdmitted(seqs: readonly number[]): Promise<boolean> {
    try {
      await this.#parts.messageQuota.admit(this.record, seqs)
      return true
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      await this.#keep([
        { type: 'error', data: { code: 'quota', detail: error.message } },
        { type: 'call.ended', data: { reason: 'failed' } },
      ])
      return false
    }
  }

  /** Until this gateway's own entries have come back from the live log, and the contact has what the agent said. */
  async #untilDelivered() {
    await this.#log.untilSeen(this.#lastKept)
    await this.#outlet?.carried()
  }

  /** Waits for the delivery report of the last message, and answers what the contact wrote meanwhile. */
  async #end({ ends }: TurnEnd) {
    const ended = [{ type: 'call.ended', data: { reason: 'hangup' } }]
    if (!ends) return
    if (!this.#outlet) return this.#keep(ended)
    while (!this.#isGone) {
      await this.#untilDelivered()
      const { waiting, isHeld } = this.#state()
      if (isHeld || waiting.length > 0 || (await this.#keepIfQuiet(ended))) return
    }
  }

  #turnParts(app: AssignedApp, entries: readonly Entry[]): Promise<TurnParts> {
    return turnParts(this.#parts, this.record, app, { entries, keep: this.#keep })
  }

  /** Adds prices and the app to the entries; refused once another gateway runs the call. */
  readonly #keep = async (entries: readonly NewEntry[]): Promise<void> => {
    const { log, pricing, gateways } = this.#parts
    const priced = await pricing.priced(entries)
    const asked = await Promise.all(priced.map((entry) => this.#withApp(entry)))
    const kept = await log.append(this.#ref, asked, gateways.id)
    this.#lastKept = Math.max(this.#lastKept, kept.at(-1)?.seq ?? 0)
  }

  /** A tool call is bound to one process of an app, also after a restart. */
  async #withApp(entry: NewEntry): Promise<NewEntry> {
    if (entry.type !== 'llm.toolCall') return entry
    const app = await this.#parts.appRequests.appOf(this.record)
    return app ? { ...entry, data: { ...entry.data, app: app.instance } } : entry
  }

  async #keepIdle(entries: readonly NewEntry[]) {
    try {
      await this.#keepIfQuiet(entries)
    } catch (error) {
      this.#warn(error, 'an idle call could not be warned or ended')
    }
  }

  /** Only if nothing was logged meanwhile: a last-moment message keeps the call open. */
  async #keepIfQuiet(entries: readonly NewEntry[]): Promise<boolean> {
    const { database, log, gateways } = this.#parts
    const { seq } = this.#log
    return database.transaction(async (tx) => {
      const locked = await log.lock(tx, this.record.id)
      if (locked?.runner !== gateways.id) this.#release()
      else if (locked.seq === seq) await log.appendIn(tx, this.#ref, entries)
      else this.#lastKept = Math.max(this.#lastKept, locked.seq) // read before the next decision
      return locked?.seq === seq
    })
  }

  /** Releases a call that has ended or that another gateway runs; retries anything else. */
  async #failed(reason: unknown) {
    const { log, gateways, logger } = this.#parts
    const found = await log.find(this.record.id).catch(() => undefined)
    if (found && found.runner !== gateways.id) {
      if (!found.sealed) logger.info(aboutCall(this.record), 'another gateway adopted a call that ran here')
      return this.#release()
    }
    this.#failures += 1
    const pauseMs = Math.min(longestPauseMs, secondMs * 2 ** (this.#failures - 1))
    this.#notBeforeMs = performance.now() + pauseMs
    logger.error({ err: reason, ...aboutCall(this.record), pauseMs }, 'a turn failed: retrying')
  }

  #warn(error: unknown, what: string) {
    this.#parts.logger.warn({ err: error, ...aboutCall(this.record) }, what)
  }
}

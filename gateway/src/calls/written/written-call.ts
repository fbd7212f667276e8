import type { Entry, NewEntry } from '@switchroom/contract/log'
import { isOpened, runOpening } from '@switchroom/session/opening'
import type { TurnParts } from '@switchroom/session/parts'
import { runTurn, type TurnEnd } from '@switchroom/session/turn'
import type { Logger } from 'pino'
import type { RunningGateways } from '../../agents/apps/running-gateways.ts'
import type { Database } from '../../database/database.ts'
import { secondMs, type Clock } from '../../foundation/clock.ts'
import { Refusal } from '../../foundation/refusals.ts'
import type { DrivingApp } from '../app-requests/app-requests.ts'
import type { Log } from '../log/log.ts'
import { callLog, type LogRef } from '../log/stamping.ts'
import type { LiveLogs } from '../log/live-logs.ts'
import type { Pricing } from '../metering/pricing.ts'
import type { AskedTurns } from './asked-turns.ts'
import { FollowedLog } from './followed-log.ts'
import { idleEntries, quietEntries } from './idleness.ts'
import type { OpenOutlet, Outlet } from './outlets.ts'
import { entriesFor, callStateOf, type CallState, type WaitingTurn } from './standing.ts'
import type { WrittenHead } from './running.store.ts'
import { turnParts, type TurnSources } from './turn-parts.ts'

/** After a failure of ours a turn is tried again, at first soon. */
const longestPauseMs = 30 * secondMs

export interface WrittenCallParts extends TurnSources {
  database: Database
  clock: Clock
  logger: Logger
  log: Log
  liveLogs: LiveLogs
  askedTurns: AskedTurns
  pricing: Pricing
  gateways: Pick<RunningGateways, 'id' | 'aliveSince' | 'forget'>
  /** Idle timeout of a chat. */
  idleMs: number
  openOutlet: OpenOutlet
}

/**
 * A written call on the gateway that runs it. The log is its queue: what users write is answered one after the
 * other, and a gateway that takes the call up after a restart reads there what is left to do.
 */
export class WrittenCall {
  readonly head: WrittenHead
  readonly #parts: WrittenCallParts
  readonly #ref: LogRef
  readonly #log: FollowedLog
  readonly #onGone: () => void
  readonly #outlet: Outlet | undefined
  /** Whether this gateway opened it. */
  readonly #isFresh: boolean
  /** How the log stands, by its last entry. */
  #read = { seq: 0, standing: callStateOf([]) }
  #isGone = false
  #isGreeted = false
  #working: Promise<void> | undefined
  #hasNews = false
  #turn: AbortController | undefined
  #learning: Promise<void> = Promise.resolve()
  readonly #leaving = new AbortController()
  /** The newest user's turn that was dealt with. */
  #answeredTo = 0
  #lastKept = 0
  #failures = 0
  #notBeforeMs = 0

  constructor(head: WrittenHead, parts: WrittenCallParts, isFresh: boolean, onGone: () => void) {
    this.head = head
    this.#parts = parts
    this.#ref = callLog(head)
    this.#log = new FollowedLog(head.id, parts, () => this.#grew())
    this.#isFresh = isFresh
    this.#onGone = onGone
    this.#outlet = parts.openOutlet(head)
  }

  start(): Promise<void> {
    return this.#log.start()
  }

  /** Stops running the call at once: another gateway takes up its current turn. */
  async leave() {
    this.#letGo()
    await this.#outlet?.leave()
    await this.#working
    await this.#learning
  }

  /** Told every second: what has been quiet for too long ends, and what had to wait is tried again. */
  poll(now: Date) {
    if (this.#isGone || !this.#log.isRead) return
    const standing = this.#standing()
    const idle = this.#turn || standing.activeAt === 0 ? [] : this.#idleEntries(standing, now)
    if (idle.length > 0) void this.#tellIdle(idle)
    else if (standing.waiting.length > 0 || this.#isGreetingDue(standing)) this.#wake()
  }

  #idleEntries(standing: CallState, now: Date): NewEntry[] {
    if (this.head.channel === 'msgapp') return quietEntries(standing, now)
    return idleEntries(standing, this.#parts.idleMs, now)
  }

  #letGo() {
    if (this.#isGone) return
    this.#isGone = true
    this.#log.stop()
    this.#turn?.abort()
    this.#leaving.abort()
    if (this.#read.standing.isEnded) this.#outlet?.finish()
    else void this.#outlet?.leave()
    this.#onGone()
  }

  #grew() {
    const standing = this.#standing()
    this.#outlet?.take(this.#log.entries)
    if (standing.isEnded) return this.#letGo()
    if (standing.isHeld) {
      this.#isGreeted = true // the supervisor who took the call over speaks first
      this.#turn?.abort()
    }
    this.#wake()
  }

  #standing(): CallState {
    const { seq, entries } = this.#log
    if (seq !== this.#read.seq) this.#read = { seq, standing: callStateOf(entries) }
    const { standing } = this.#read
    const isOpen = ({ messages }: WaitingTurn) => (messages.at(-1)?.seq ?? 0) > this.#answeredTo
    return { ...standing, waiting: standing.waiting.filter(isOpen) }
  }

  /** On a call that was taken up, only while nothing has been said. */
  #isGreetingDue({ isGreeted }: CallState): boolean {
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
    await this.#untilCarried()
    const standing = this.#standing()
    const [next] = standing.waiting
    const isGreetingDue = this.#isGreetingDue(standing)
    if (this.#isGone || standing.isEnded || standing.isHeld || !(next || isGreetingDue)) return false
    if (performance.now() < this.#notBeforeMs) return false
    const app = await this.#parts.appRequests.appOf(this.head)
    if (!app) return false // looked for again every second
    const turn = new AbortController()
    this.#turn = turn
    try {
      if (this.#isGone || this.#standing().isHeld) return false
      if (isGreetingDue) await this.#greet(app, turn.signal)
      else if (next) await this.#answer(next, app, turn.signal)
      return true
    } catch (error) {
      if (turn.signal.aborted) return false
      throw error
    } finally {
      this.#turn = undefined
    }
  }

  async #greet(app: DrivingApp, signal: AbortSignal) {
    const silent = this.#log.entries.filter(({ type }) => type !== 'user.message')
    await this.#end(await runOpening(await this.#turnParts(app, silent), signal))
    this.#isGreeted = true
  }

  async #answer(turn: WaitingTurn, app: DrivingApp, signal: AbortSignal) {
    const seqs = turn.messages.map(({ seq }) => seq)
    if (!(await this.#isAdmitted(seqs))) return
    const parts = await this.#turnParts(app, entriesFor(turn, this.#log.entries))
    const end = await runTurn(parts, signal)
    this.#answeredTo = Math.max(...seqs)
    await this.#end(end)
    this.#learning = this.#learning.then(() => this.#learn(parts))
  }

  /** Beside the conversation, one reply after the other. */
  async #learn({ instructions: { memory }, models, nowMs }: TurnParts) {
    if (this.#isGone || memory === null) return
    try {
      await this.#log.untilSeen(this.#lastKept)
      const parts = { memory, models, entries: [...this.#log.entries], keep: this.#keep, nowMs }
      await this.#parts.memories.learn(this.head, parts, this.#leaving.signal)
    } catch (error) {
      this.#warn(error, 'what was learned about a contact was not kept')
    }
  }

  /** A turn past the org's quota stays unanswered, and the call ends with it. */
  async #isAdmitted(seqs: readonly number[]): Promise<boolean> {
    try {
      await this.#parts.askedTurns.admit(this.head, seqs)
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

  /** What this gateway wrote has come back on the tail, and what the agent said has reached the contact. */
  async #untilCarried() {
    await this.#log.untilSeen(this.#lastKept)
    await this.#outlet?.carried()
  }

  /** Last words that could not be sent are still told of, and what the contact wrote meanwhile is answered. */
  async #end({ ends }: TurnEnd) {
    const ended = [{ type: 'call.ended', data: { reason: 'hangup' } }]
    if (!ends) return
    if (!this.#outlet) return this.#keep(ended)
    while (!this.#isGone) {
      await this.#untilCarried()
      const { waiting, isHeld } = this.#standing()
      if (isHeld || waiting.length > 0 || (await this.#keepIfQuiet(ended))) return
    }
  }

  #turnParts(app: DrivingApp, entries: readonly Entry[]): Promise<TurnParts> {
    return turnParts(this.#parts, this.head, app, { entries, keep: this.#keep })
  }

  /** Priced, and with the app that is asked; refused once another gateway runs the call. */
  readonly #keep = async (entries: readonly NewEntry[]): Promise<void> => {
    const { log, pricing, gateways } = this.#parts
    const priced = await pricing.priced(entries)
    const asked = await Promise.all(priced.map((entry) => this.#withApp(entry)))
    const kept = await log.append(this.#ref, asked, gateways.id)
    this.#lastKept = Math.max(this.#lastKept, kept.at(-1)?.seq ?? 0)
  }

  /** A tool is asked of one process of an app alone, now and after a restart. */
  async #withApp(entry: NewEntry): Promise<NewEntry> {
    if (entry.type !== 'llm.toolCall') return entry
    const app = await this.#parts.appRequests.appOf(this.head)
    return app ? { ...entry, data: { ...entry.data, app: app.instance } } : entry
  }

  async #tellIdle(entries: readonly NewEntry[]) {
    try {
      await this.#keepIfQuiet(entries)
    } catch (error) {
      this.#warn(error, 'a quiet call was not told so')
    }
  }

  /** Only if nothing was written meanwhile: a message that came at the last moment keeps the call open. */
  async #keepIfQuiet(entries: readonly NewEntry[]): Promise<boolean> {
    const { database, log, gateways } = this.#parts
    const { seq } = this.#log
    return database.transaction(async (tx) => {
      const held = await log.lock(tx, this.head.id)
      if (held?.runner !== gateways.id) this.#letGo()
      else if (held.seq === seq) await log.appendIn(tx, this.#ref, entries)
      else this.#lastKept = Math.max(this.#lastKept, held.seq) // seen before anything else is decided
      return held?.seq === seq
    })
  }

  /** A call that another gateway runs, or that has ended, is let go; anything else is tried again. */
  async #failed(reason: unknown) {
    const { log, gateways, logger } = this.#parts
    const found = await log.find(this.head.id).catch(() => undefined)
    if (found && found.runner !== gateways.id) {
      if (!found.sealed) logger.info({ call: this.head.id }, 'another gateway runs a call that ran here')
      return this.#letGo()
    }
    this.#failures += 1
    const pauseMs = Math.min(longestPauseMs, secondMs * 2 ** (this.#failures - 1))
    this.#notBeforeMs = performance.now() + pauseMs
    logger.error({ err: reason, call: this.head.id, pauseMs }, 'a turn failed and is tried again')
  }

  #warn(error: unknown, what: string) {
    this.#parts.logger.warn({ err: error, call: this.head.id }, what)
  }
}

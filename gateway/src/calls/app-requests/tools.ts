import type { AppTool } from '@switchroom/contract/apps'
import type { ToolReceived, ToolResult } from '@switchroom/contract/call-frames'
import type { Entry, NewEntry } from '@switchroom/contract/log'
import type { ToolCall } from '@switchroom/kit/vendor'
import type { ToolOutcome } from '@switchroom/session/parts'
import type { Logger } from 'pino'
import type { FrameSource } from '../../agents/apps/frames.ts'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import type { GatewayMeters } from '../../database/room.ts'
import { secondMs } from '../../foundation/clock.ts'
import { badRequest, unavailable } from '../../foundation/refusals.ts'
import { cutToLine } from '../../foundation/text.ts'
import type { Log } from '../log/log.ts'
import { aboutCall, callLog } from '../log/entries.ts'
import type { ShownEntry, LiveLogs } from '../log/live-logs.ts'
import type { AssignedCall, AppRequests } from './app-requests.ts'
import * as store from './app-requests.store.ts'
import { ToolSpans } from './tool-spans.ts'

const pollEveryMs = secondMs
const hasEnded = 'the call has ended'

export interface ToolsParts {
  database: Database
  logger: Logger
  log: Log
  liveLogs: LiveLogs
  appRequests: AppRequests
  meters: GatewayMeters
  timeoutMs: number
}

const stopping = () => unavailable('this gateway is stopping', 5)

const notAnswered = (name: string, withinMs: number) =>
  `the tool ${name} did not answer within ${withinMs / secondMs} seconds`
const noAppFor = (name: string) => `no app is connected that could run the tool ${name}`

export interface ToolLimits {
  /** As the app offers them: a tool may have a limit of its own. */
  tools?: readonly AppTool[] | undefined
  /** Of the others; default: the deployment's. */
  withinMs?: number
}

type Result = Omit<ToolOutcome, 'text'> & { result: unknown }

/**
 * Tools that models call and apps run. The log is the truth: a tool call is in it before the app receives it, its
 * result before the model continues, and there is one result for each call.
 */
export class Tools {
  readonly #parts: ToolsParts
  readonly #waiting = new Map<WaitingCalls, Promise<ToolOutcome[]>>()
  #isStopped = false

  constructor(parts: ToolsParts) {
    this.#parts = parts
  }

  /** Waiting callers are refused; another gateway continues from the log. */
  async stop() {
    this.#isStopped = true
    for (const waiting of this.#waiting.keys()) waiting.fail(stopping())
    await Promise.allSettled(this.#waiting.values())
  }

  /** The outcomes in the order of the calls. A call that the app does not answer in time has failed. */
  async run(
    call: AssignedCall,
    calls: readonly ToolCall[],
    { tools = [], withinMs = this.#parts.timeoutMs }: ToolLimits = {},
  ): Promise<ToolOutcome[]> {
    if (this.#isStopped) throw stopping()
    const waiting = new WaitingCalls(calls)
    const limitOf = (name: string) => tools.find((tool) => tool.name === name)?.timeoutMs ?? withinMs
    const outcomes = this.#outcomes(call, waiting, limitOf)
    this.#waiting.set(waiting, outcomes)
    try {
      return await outcomes
    } finally {
      this.#waiting.delete(waiting)
    }
  }

  async #outcomes(
    call: AssignedCall,
    waiting: WaitingCalls,
    limitOf: (name: string) => number,
  ): Promise<ToolOutcome[]> {
    const { liveLogs } = this.#parts
    const { stop } = await liveLogs.follow(call.id, (entries) => waiting.see(entries))
    const polling = setInterval(() => this.#poll(call, waiting), pollEveryMs)
    const timers = waiting.unanswered.map(({ id, name }) =>
      setTimeout(() => waiting.giveUpOn(id), limitOf(name)),
    )
    try {
      for (const result of await this.#results(this.#parts.database, call.id, waiting.ids))
        waiting.answer(result)
      if ((await this.#parts.log.find(call.id))?.sealed ?? true) waiting.giveUp()
      const hasNoApp = await this.#hasNoApp(call, waiting)
      if (hasNoApp) waiting.giveUp()
      await waiting.over
      for (const { id, name } of waiting.unanswered) {
        const why = hasNoApp ? noAppFor(name) : notAnswered(name, limitOf(name))
        waiting.answer(await this.#fail(call, id, name, why))
      }
      return waiting.outcomes
    } finally {
      for (const timer of timers) clearTimeout(timer)
      clearInterval(polling)
      stop()
    }
  }

  /** A result from an app: the first one counts, each one is acknowledged. */
  async take(from: FrameSource, call: Omit<AssignedCall, 'holder'>, sent: ToolResult) {
    const { id, error } = sent
    if ('result' in sent === (error !== undefined)) throw badRequest('a tool.result has a result or an error')
    await this.#parts.database.transaction(async (tx) => {
      const locked = await this.#parts.log.lock(tx, call.id)
      const asked = await store.findAsked(tx, call.id, id)
      if (!asked) throw badRequest(`call ${call.id} asked for no tool as ${cutToLine(id, 'nothing')}`)
      const [known] = await this.#results(tx, call.id, [id])
      if (known || !locked || locked.sealed) return // the first answer stays, also if it is a timeout
      const isOk = error === undefined
      const answered = { id, name: asked.name, ok: isOk, result: isOk ? sent.result : error }
      await this.#write(tx, call, answered, isOk ? 'ok' : 'failed')
    })
    from.send({ type: 'tool.received', call: call.id, id } satisfies ToolReceived)
  }

  async #fail(call: AssignedCall, id: string, name: string, result: string): Promise<Result> {
    return this.#parts.database.transaction(async (tx) => {
      const locked = await this.#parts.log.lock(tx, call.id)
      const [known] = await this.#results(tx, call.id, [id])
      if (known) return known
      if (!locked || locked.sealed) return { id, name, ok: false, result: hasEnded }
      return this.#write(tx, call, { id, name, ok: false, result }, 'unanswered')
    })
  }

  /** In the transaction that has locked the log. */
  async #write(
    tx: Transaction,
    call: Omit<AssignedCall, 'holder'>,
    { id, name, ok, result }: Result,
    outcome: 'ok' | 'failed' | 'unanswered',
  ): Promise<Result> {
    const entries: NewEntry[] = [{ type: 'tool.result', data: { id, name, ok, result } }]
    if (!ok) {
      const detail = `${name}: ${cutToLine(String(result), 'no reason was given')}`
      entries.push({ type: 'error', data: { code: 'tool_failed', detail } })
    }
    await this.#parts.log.appendIn(tx, callLog(call), entries)
    tx.afterCommit(() => this.#parts.meters.count('switchroom_tool_calls_total', [call.env, outcome]))
    return { id, name, ok, result }
  }

  async #results(database: Queryable, call: string, ids: readonly string[]): Promise<Result[]> {
    return (await store.findResults(database, call, ids)).map(({ entry }) => resultOf(entry))
  }

  /** A tool call that names no app goes to the app that the call is assigned to. */
  async #hasNoApp(call: AssignedCall, waiting: WaitingCalls): Promise<boolean> {
    const [first] = waiting.unanswered
    if (!first || (await this.#askedOf(call, first.id)) !== undefined) return false
    return (await this.#parts.appRequests.appOf(call)) === null
  }

  async #toolCall(call: AssignedCall, id: string): Promise<Entry | undefined> {
    const found = await store.findToolCall(this.#parts.database, call.id, id)
    return found && (JSON.parse(found.entry) as Entry)
  }

  async #askedOf(call: AssignedCall, id: string): Promise<string | undefined> {
    const app = (await this.#toolCall(call, id))?.data['app']
    return typeof app === 'string' ? app : undefined
  }

  /** The app that received the call may be back on another socket while the call is assigned to a different app. */
  #poll(call: AssignedCall, waiting: WaitingCalls) {
    this.#resend(call, waiting).catch((error: unknown) =>
      this.#parts.logger.warn({ err: error, ...aboutCall(call) }, 'a pending tool call could not be checked'),
    )
  }

  async #resend(call: AssignedCall, waiting: WaitingCalls) {
    const { appRequests } = this.#parts
    const [first] = waiting.unanswered
    const entry = first && (await this.#toolCall(call, first.id))
    if (typeof entry?.data['app'] !== 'string') return
    const found = await appRequests.socketOf(call, entry.data['app'])
    if (!found || waiting.wasAsked(found.socket)) return
    const assigned = await appRequests.appOf(call)
    if (assigned?.socket !== found.socket) await appRequests.redeliver(call, entry)
  }
}

/** Tool calls until each has its result, the time is over or the call has ended. */
class WaitingCalls {
  readonly over: Promise<void>
  readonly #calls: readonly ToolCall[]
  readonly #results = new Map<string, Result>()
  readonly #sockets = new Set<string>()
  /** Those that are out of time. */
  readonly #late = new Set<string>()
  readonly #spans: ToolSpans
  readonly #finish: () => void
  readonly fail: (error: Error) => void

  constructor(calls: readonly ToolCall[]) {
    this.#calls = calls
    this.#spans = new ToolSpans(calls)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    promise.catch(() => {}) // handled where it is awaited; before that it is no unhandled rejection
    this.over = promise
    this.#finish = resolve
    this.fail = reject
    if (calls.length === 0) this.#finish()
  }

  get ids(): string[] {
    return this.#calls.map(({ id }) => id)
  }

  get unanswered(): ToolCall[] {
    return this.#calls.filter(({ id }) => !this.#results.has(id))
  }

  get outcomes(): ToolOutcome[] {
    return this.#calls.map(({ id, name }) => {
      const { ok, result } = this.#results.get(id) ?? { ok: false, result: hasEnded }
      return { id, name, ok, text: typeof result === 'string' ? result : JSON.stringify(result) }
    })
  }

  see(entries: readonly ShownEntry[]) {
    for (const { type, entry } of entries)
      if (type === 'tool.result') this.answer(resultOf(entry))
      else if (type === 'call.ended') this.giveUp()
  }

  answer(result: Result) {
    if (!this.#calls.some(({ id }) => id === result.id)) return
    this.#results.set(result.id, result)
    this.#spans.answered(result)
    this.#finishIfNoneIsWaitedFor()
  }

  /** The others are waited for. */
  giveUpOn(id: string) {
    this.#late.add(id)
    this.#finishIfNoneIsWaitedFor()
  }

  #finishIfNoneIsWaitedFor() {
    if (this.unanswered.every(({ id }) => this.#late.has(id))) this.#finish()
  }

  giveUp() {
    this.#finish()
  }

  /** Whether this socket was sent the calls again before; marks it as sent. */
  wasAsked(socket: string): boolean {
    const was = this.#sockets.has(socket)
    this.#sockets.add(socket)
    return was
  }
}

function resultOf(entry: string): Result {
  const { data } = JSON.parse(entry) as Entry
  return {
    id: String(data['id']),
    name: String(data['name']),
    ok: data['ok'] === true,
    result: data['result'],
  }
}

import { RegisterLine } from '@switchroom/contract/call-frames'
import type { LineCallPassed, LineError, LineErrorCode, LineReady } from '@switchroom/contract/lines'
import type { Frame, FrameSource } from '../../agents/apps/frames.ts'
import type { RunningGateways } from '../../agents/apps/running-gateways.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { LiveGateways } from '../../database/gateway-liveness.ts'
import { outsideList, type Caller } from '../../foundation/caller.ts'
import { badRequest, conflict, Refusal } from '../../foundation/refusals.ts'
import { shapedAs } from '../../http/shape-checks.ts'
import { phoneForm } from '../callbacks/callback-requests.ts'
import type { AppAssignments } from '../app-requests/app-assignments.ts'
import { callOf, type CallRow } from '../records/call-object.ts'
import type { Log } from '../log/log.ts'
import { callLog } from '../log/entries.ts'
import { extensionOf } from './extension.ts'
import * as store from './lines.store.ts'

const longestWindowMs = 10_000

export type { LineRow } from './lines.store.ts'

/** The agent that a number routes to; the telephony room provides it. */
export type RouteOf = (number: string) => Promise<NumberRoute | undefined>

export interface NumberRoute {
  number: string
  org: string
  env: Caller['env']
  agent: string
  channel: 'phone' | 'msgapp'
  awaits_approval: boolean
}

export interface LinesParts {
  database: Database
  gateways: Pick<RunningGateways, 'id' | 'alive'>
  log: Log
  routeOf: RouteOf
  assignments: Pick<AppAssignments, 'assign'>
}

/** Phone lines: numbers whose calls go to an app before they go to an agent. */
export class Lines {
  readonly #parts: LinesParts

  constructor(parts: LinesParts) {
    this.#parts = parts
  }

  /** Sends `ready` and the calls that are on the line already, or the line's own `error`. */
  async register({ caller, socket, send }: FrameSource, frame: Frame) {
    const number = typeof frame['number'] === 'string' ? frame['number'] : null
    try {
      for (const answer of await this.#register(caller, socket, frame)) send(answer)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const code = (error.code ?? 'LINE_CONFIG_ERROR') as LineErrorCode
      const refused: LineError = { type: 'error', agent: null, number, code, detail: error.message }
      send(refused)
    }
  }

  /** Undefined if no connected app has the line. */
  lineOf(number: string): Promise<store.LineRow | undefined> {
    return store.findLine(this.#parts.database, this.#alive, number)
  }

  /** The line owns the call from its opening on, and receives it at once if it has no extension window. */
  async own(tx: Transaction, line: store.LineRow, call: string, agent: string) {
    await store.setLine(tx, call, line.number)
    await this.#parts.assignments.assign(tx, call, agent, line.socket)
    const owned = await store.findOwned(tx, call)
    if (owned && line.extension_ms === 0) await this.#announce(tx, owned, null)
  }

  /** The extension window has closed. A repeated request has no effect. */
  async closeWindow(tx: Transaction, call: string, digits: string) {
    const extension = extensionOf(digits)
    const owned = await store.findOwned(tx, call)
    if (!owned) throw conflict(`call ${call} is on no line that waits for an extension`)
    if (!owned.line_told) await this.#announce(tx, owned, extension)
  }

  async #announce(tx: Transaction, owned: store.OwnedCall, extension: string | null) {
    const row = await store.setExtension(tx, owned.id, extension)
    if (!row) return
    const data = { line: owned.line, call: callOf(row) }
    await this.#parts.log.appendIn(tx, callLog(owned), [{ type: 'call', data }])
  }

  async #register(caller: Caller, socket: string, frame: Frame): Promise<(LineReady | LineCallPassed)[]> {
    const { number, extensionMs = 0 } = shapedAs(RegisterLine, frame)
    if (!phoneForm.test(number)) throw badRequest('number is one in international form, as +15550100100')
    if (extensionMs < 0 || extensionMs > longestWindowMs)
      throw badRequest(`extensionMs is 0 to ${longestWindowMs}`)
    const route = await this.#parts.routeOf(number)
    if (!route || route.org !== caller.org || route.env !== caller.env)
      throw coded('PHONE_NOT_IN_ORG', `${number} is no number of this org in ${caller.env}`)
    if (caller.agents.length > 0 && !caller.agents.includes(route.agent))
      throw coded('UNAUTHORIZED', outsideList(caller).message)
    if (route.channel !== 'phone') throw badRequest(`${number} takes messages, and a line takes calls`)
    const passed = await this.#parts.database.transaction((tx) =>
      this.#claim(tx, number, socket, extensionMs),
    )
    return [{ type: 'ready', number, extensionMs }, ...passed]
  }

  /** Answers the calls that were on the line when its last app disconnected and that no app has taken since. */
  async #claim(
    tx: Transaction,
    number: string,
    socket: string,
    extensionMs: number,
  ): Promise<LineCallPassed[]> {
    await store.lockNumber(tx, number)
    const line = await store.findLine(tx, this.#alive, number)
    if (line && line.socket !== socket)
      throw coded('LINE_CONFLICT', `another app has the line ${number}: one takes its calls at a time`)
    await store.putLine(tx, { number, socket, extension_ms: extensionMs })
    if (line) return []
    const calls = await store.listOnLine(tx, number)
    for (const { id, agent } of calls) await this.#parts.assignments.assign(tx, id, agent, socket)
    return calls.filter(({ line_told }) => line_told).map((row) => passedOn(number, row))
  }

  get #alive(): LiveGateways {
    return this.#parts.gateways.alive
  }
}

const passedOn = (line: string, row: CallRow): LineCallPassed => ({
  type: 'call.passed',
  line,
  agent: row.agent,
  call: row.id,
  data: { line, call: callOf(row) },
})

const coded = (code: LineErrorCode, sentence: string) => new Refusal(409, sentence, {}, code)

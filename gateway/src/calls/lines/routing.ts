import type { Entry, LineTurn } from '@switchroom/contract/log'
import { RouteCall } from '@switchroom/contract/call-frames'
import type { CallRouted, LineCallEnded, RouteFailed, RouteFailure } from '@switchroom/contract/lines'
import type { Call } from '@switchroom/contract/log'
import type { Logger } from 'pino'
import type { Agents } from '../../agents/agents.ts'
import type { Frame, FrameSource } from '../../agents/apps/frames.ts'
import type { ConnectedApps } from '../../agents/apps/connected-apps.ts'
import type { RunningGateways } from '../../agents/apps/running-gateways.ts'
import { slugForm, type SettingsScope } from '../../agents/scope.ts'
import type { Check } from '../../database/due-checks.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { outsideList } from '../../foundation/caller.ts'
import { badRequest, Refusal } from '../../foundation/refusals.ts'
import { shapedAs } from '../../http/shape-checks.ts'
import type { NamedOrg } from '../../providers/lent-keys/lent-keys.ts'
import type { AppAssignments } from '../app-requests/app-assignments.ts'
import { callOf } from '../records/call-object.ts'
import type { CallRecords } from '../records/records.ts'
import { notTaken, type Log } from '../log/log.ts'
import { aboutCall, callLog } from '../log/entries.ts'
import * as store from './lines.store.ts'

export interface RoutingParts {
  database: Database
  logger: Logger
  gateways: Pick<RunningGateways, 'id' | 'alive'>
  agents: Agents
  connectedApps: ConnectedApps
  records: CallRecords
  log: Log
  assignments: Pick<AppAssignments, 'assign'>
  /** Whether a spoken call of the agent would have speech-to-text and text-to-speech. */
  missingKeys: (org: NamedOrg, scope: SettingsScope) => Promise<readonly unknown[]>
  /** Whether every worker is at its capacity for the agent. */
  isFull: (scope: SettingsScope) => Promise<boolean>
}

/** Routes calls from a line to an agent; the audio continues without a break. */
export class Routing {
  readonly #parts: RoutingParts
  /** The calls whose lines were gone at the last poll. */
  #withoutLine: ReadonlySet<string> = new Set()

  constructor(parts: RoutingParts) {
    this.#parts = parts
  }

  /** Sends `call.routed` and the line's `call.ended`, or `call.route_failed`; a repeated request gets the same answer. */
  async route({ caller, socket, send }: FrameSource, frame: Frame) {
    const { call: id, agent } = shapedAs(RouteCall, frame)
    if (caller.agents.length > 0 && !caller.agents.includes(agent)) throw outsideList(caller)
    const owned = await store.findOwnedBy(this.#parts.database, id, socket)
    if (!owned) return this.#answerAgain(socket, send, id, agent)
    const about = { line: owned.line, agent: owned.agent, call: id }
    const why = await this.#whyNot(caller, { ...owned, agent })
    const routed = why ?? (await this.#routed(owned, { ...owned, agent }, socket))
    if (typeof routed !== 'string') return sendRouted(send, about, agent, routed)
    const data = { callId: id, agent, reason: routed }
    send({ type: 'call.route_failed', ...about, data } satisfies RouteFailed)
  }

  /** The first answer may have been lost with a connection. */
  async #answerAgain(socket: string, send: FrameSource['send'], id: string, agent: string) {
    const row = await store.findRoutedBy(this.#parts.database, id, socket, agent)
    if (!row?.routed_from) throw badRequest(`call ${id} is on no line of this app`)
    sendRouted(send, { line: row.routed_from, agent, call: id }, agent, callOf(row))
  }

  /** A call whose line was gone at two polls in a row goes to its own agent once that has a connected app. */
  get due(): Check {
    const { own, since } = this.#parts.gateways.alive
    return store.abandonedCheck({ own, since })
  }

  noneAbandoned() {
    this.#withoutLine = new Set()
  }

  async poll() {
    const { alive } = this.#parts.gateways
    const abandoned = await store.listAbandoned(this.#parts.database, alive)
    const before = this.#withoutLine
    this.#withoutLine = new Set(abandoned.map(({ id }) => id))
    for (const call of abandoned)
      if (before.has(call.id) && (await this.#parts.connectedApps.appFor(call)))
        await this.#move(call, call, null).catch((error: unknown) => {
          if (error instanceof Refusal) return // ended, or another gateway was faster
          this.#parts.logger.warn(
            { err: error, ...aboutCall(call) },
            'a call whose line is gone could not be routed',
          )
        })
  }

  async #routed(owned: store.OwnedCall, scope: SettingsScope, socket: string): Promise<Call | RouteFailure> {
    try {
      return await this.#move(owned, scope, socket)
    } catch (error) {
      if (error instanceof Refusal) throw error
      this.#parts.logger.error({ err: error, ...aboutCall(owned) }, 'a call could not be routed')
      return 'swap_failed'
    }
  }

  async #whyNot(org: NamedOrg, scope: SettingsScope): Promise<RouteFailure | undefined> {
    const { agents, connectedApps, missingKeys, isFull } = this.#parts
    if (!slugForm.test(scope.agent) || !(await agents.list(scope.org)).includes(scope.agent)) return 'unknown'
    if (!(await connectedApps.appFor(scope))) return 'offline'
    if ((await missingKeys(org, scope)).length > 0) return 'no_phone_config'
    return (await isFull(scope)) ? 'capacity' : undefined
  }

  /** One transaction, so that of a line's own request and a concurrent poll one routes the call. */
  #move({ id, line }: store.OwnedCall, scope: SettingsScope, socket: string | null): Promise<Call> {
    const { database, log, records, assignments } = this.#parts
    return database.transaction(async (tx) => {
      const locked = await log.lock(tx, id)
      if (!locked || locked.sealed) throw notTaken()
      await this.#refuseUnlessOwner(tx, id, line, socket)
      await records.moveTo(tx, id, scope)
      const row = await store.setRouted(tx, id, transcriptOf(await store.listTurns(tx, id)))
      if (!row) throw new Error('a locked call has a record')
      await assignments.assign(tx, id, scope.agent, null)
      await log.appendIn(tx, callLog({ ...scope, id }), [
        { type: 'call.routed', data: { callId: id, agent: scope.agent } },
        { type: 'call.started', data: {} },
      ])
      return callOf(row)
    })
  }

  async #refuseUnlessOwner(tx: Transaction, id: string, line: string, socket: string | null) {
    const { alive } = this.#parts.gateways
    const owned = await store.findOwned(tx, id)
    const current = await store.findLine(tx, alive, line)
    if (owned?.line !== line || (current?.socket ?? null) !== socket)
      throw badRequest(`call ${id} is on no line of this app`)
  }
}

function sendRouted(
  send: FrameSource['send'],
  about: { line: string; agent: string; call: string },
  agent: string,
  call: Call,
) {
  send({ type: 'call.routed', ...about, data: { callId: call.id, agent } } satisfies CallRouted)
  send({ type: 'call.ended', ...about, data: { call, reason: 'routed' } } satisfies LineCallEnded)
}

/** The turns on a line, as the agent that takes over reads them. */
const transcriptOf = (turns: readonly Entry[]): LineTurn[] =>
  turns.map(({ type, ts, data }) => {
    const isCaller = type === 'user.message'
    const text = typeof data['text'] === 'string' ? data['text'] : ''
    return {
      who: isCaller ? 'caller' : 'line',
      text,
      at: Math.round(ts * 1000),
      role: isCaller ? 'user' : 'assistant',
      content: text,
    }
  })

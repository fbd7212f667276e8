import type { CallPreparing, PreparedSet, PreparingSettled } from '@switchroom/contract/call-frames'
import type { Entry } from '@switchroom/contract/log'
import type { Environment } from '@switchroom/contract/scopes'
import type { Queryable, Transaction } from '../../database/database.ts'
import type { Offer } from '../../agents/apps/register-frame.ts'
import { callOf } from '../records/call-object.ts'
import { aboutCall, callLog } from '../log/entries.ts'
import { AppAssignments, type AssignmentRow, type AppAssignmentsParts } from './app-assignments.ts'
import * as store from './app-requests.store.ts'
import { toolCallOf } from './app-events.ts'
import { budgetOf, WaitingTurns, type PreparationOutcome } from './turn-preparation.ts'

export interface AssignedCall {
  id: string
  org: string
  env: Environment
  agent: string
  holder: string
}

/** The app that a call is assigned to. */
export interface AssignedApp {
  app: string
  socket: string
  gateway: string
  /** The app's process, over all its connections. */
  instance: string
  offer: Offer
  /** Of the call. */
  metadata: Record<string, unknown>
}

/** A frame for a socket, to be sent after every entry up to `after`. */
interface ToDeliver {
  call: string
  socket: string
  frame: object
  after: number
}

/** A turn to prepare, and the gateway that waits for it. */
interface ToPrepare extends ToDeliver {
  turn: number
  asker: string
}

interface Prepared {
  call: string
  turn: number
  settled: PreparationOutcome
}

/** What a call asks of the app it is assigned to, on any gateway. */
export class AppRequests {
  readonly assignments: AppAssignments
  readonly #parts: AppAssignmentsParts
  readonly #turns = new WaitingTurns()
  /** By call, the gateway that waits for an app on this one. */
  readonly #askers = new Map<string, { turn: number; asker: string }>()

  constructor(parts: AppAssignmentsParts) {
    this.#parts = parts
    this.assignments = new AppAssignments(parts)
    this.assignments.onStopped = (call) => this.#giveUp(call)
    parts.mailbox.on<ToDeliver>('frame', (delivery) => this.#deliverHere(delivery))
    parts.mailbox.on<ToPrepare>('prepare', (asked) => this.#askHere(asked))
    parts.mailbox.on<Prepared>('prepared', ({ call, turn, settled }) =>
      this.#turns.settle(call, turn, settled),
    )
  }

  /** Those of the calls that an app is connected for by now. */
  servedAmong(calls: readonly string[]): Promise<string[]> {
    return store.listServed(this.#parts.database, this.assignments.alive, calls)
  }

  /** Null if no app is connected for the agent. */
  async appOf(call: AssignedCall): Promise<AssignedApp | null> {
    const row = await this.assignments.find(call.id)
    if (!row) return null
    const { app, socket, gateway, metadata } = row
    const offer = row.offer ?? { tools: [] }
    return { app: app ?? '', socket, gateway, instance: offer.instance ?? socket, offer, metadata }
  }

  /**
   * What the app changed about the call's turns, asked before each generation (counted from 1 over the call). The
   * app has a time budget; an answer after that counts for the next generation.
   */
  async prepare(call: AssignedCall, generation: number): Promise<PreparedSet> {
    const row = await this.assignments.find(call.id)
    if (!row) return this.#preparedBefore(call.id)
    const preparing = row.offer?.preparing
    if (row.by_line || (row.channel === 'chat' && preparing === undefined)) return row.prepared
    const budgetMs = budgetOf(preparing)
    const begunAt = performance.now()
    const settling = this.#turns.wait(call.id, generation, budgetMs)
    this.#ask(row, generation, budgetMs)
    const settled = await settling
    if (typeof settled === 'object') return settled.set
    if (settled === 'late' && preparing !== undefined) {
      const waitedMs = Math.round(performance.now() - begunAt)
      this.#writeTimeout(call, { callId: call.id, turn: generation, waitedMs, budgetMs })
    }
    return row.prepared
  }

  /** An app's changes, also if they come after the time budget. */
  async settle({ call, turn, set = {} }: PreparingSettled) {
    const { database } = this.#parts
    const { metadata } = set
    const change = (to: Queryable) => store.changePrepared(to, call, wellFormed(set))
    const changeBoth = async (tx: Transaction) => {
      await store.setMetadata(tx, call, wellFormed(metadata ?? {}))
      return change(tx)
    }
    const row = await (metadata ? database.transaction(changeBoth) : change(database))
    const asked = this.#askers.get(call)
    if (!row || asked?.turn !== turn) return
    this.#askers.delete(call)
    await this.#answer(asked.asker, { call, turn, settled: { set: row.prepared } })
  }

  /** Sends a tool call again, to the same app process only. False if that is not connected. */
  async redeliver(call: AssignedCall, entry: Entry): Promise<boolean> {
    const { app } = entry.data
    const found = typeof app === 'string' ? await this.socketOf(call, app) : await this.appOf(call)
    if (!found) return false
    await this.deliver(found, call.id, toolCallOf(entry))
    return true
  }

  /** Where the app's process is connected now. */
  async socketOf(call: AssignedCall, instance: string): Promise<{ socket: string; gateway: string } | null> {
    return (await store.findInstance(this.#parts.database, this.assignments.alive, call, instance)) ?? null
  }

  /** Sends a frame about the call to a socket on any gateway. */
  async deliver(
    { socket, gateway }: { socket: string; gateway: string },
    call: string,
    frame: object,
    after = 0,
  ) {
    const delivery: ToDeliver = { call, socket, frame, after }
    if (gateway === this.#parts.gateways.id) this.#deliverHere(delivery)
    else await this.#parts.mailbox.send(gateway, 'frame', delivery)
  }

  async #preparedBefore(call: string): Promise<PreparedSet> {
    return (await store.findAssignment(this.#parts.database, this.assignments.alive, call))?.prepared ?? {}
  }

  #ask(row: AssignmentRow, turn: number, budgetMs: number) {
    const { gateways, mailbox } = this.#parts
    const data = { call: callOf(row), turn, budgetMs }
    const frame: CallPreparing = { type: 'call.preparing', agent: row.agent, call: row.call, data }
    const asked = { call: row.call, socket: row.socket, frame, after: row.seq, turn, asker: gateways.id }
    if (row.gateway === gateways.id) this.#askHere(asked)
    else this.assignments.run(mailbox.send(row.gateway, 'prepare', asked))
  }

  #askHere(asked: ToPrepare) {
    const { call, turn, asker } = asked
    this.#askers.set(call, { turn, asker })
    if (this.#parts.sockets.has(asked.socket)) this.#deliverHere(asked)
    else this.#giveUp(call)
  }

  /** The app disconnected: its answer is not waited for. */
  #giveUp(call: string) {
    const asked = this.#askers.get(call)
    if (!asked) return
    this.#askers.delete(call)
    this.assignments.run(this.#answer(asked.asker, { call, turn: asked.turn, settled: 'gone' }))
  }

  async #answer(asker: string, prepared: Prepared) {
    if (asker !== this.#parts.gateways.id) await this.#parts.mailbox.send(asker, 'prepared', prepared)
    else this.#turns.settle(prepared.call, prepared.turn, prepared.settled)
  }

  /** Not awaited, so that the turn continues; a call that has ended takes no entry. */
  #writeTimeout(call: AssignedCall, data: Record<string, unknown>) {
    const written = this.#parts.log.append(callLog(call), [{ type: 'call.preparingTimeout', data }])
    written.catch(() =>
      this.#parts.logger.info(aboutCall(call), 'a preparation timeout was not logged: the call has ended'),
    )
  }

  #deliverHere({ call, socket, frame, after }: ToDeliver) {
    this.assignments.send(call, socket, frame, after)
  }
}

/** PostgreSQL refuses lone surrogates. */
const wellFormed = (value: object) =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === 'string' ? part.toWellFormed() : part))

import type { CallPreparing, PreparedSet, PreparingSettled } from '@switchroom/contract/call-frames'
import type { Entry } from '@switchroom/contract/log'
import type { Environment } from '@switchroom/contract/scopes'
import type { Queryable, Transaction } from '../../database/database.ts'
import type { Offer } from '../../agents/apps/register-frame.ts'
import { callOf } from '../records/call-object.ts'
import { callLog } from '../log/stamping.ts'
import { AppAssignments, type DrivenRow, type DrivesParts } from './app-assignments.ts'
import * as store from './app-requests.store.ts'
import { toolCallOf } from './mirroring.ts'
import { budgetOf, WaitingTurns, type Settled } from './preparing.ts'

export interface DrivenCall {
  id: string
  org: string
  env: Environment
  agent: string
  holder: string
}

/** The app that drives a call. */
export interface DrivingApp {
  app: string
  socket: string
  gateway: string
  /** The app's process, whichever socket it comes by. */
  instance: string
  offer: Offer
}

/** A frame for a socket of another gateway, to go once what was written up to `after` is told. */
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
  settled: Settled
}

/** What a call asks of the app that drives it, on whichever gateway that is. */
export class AppRequests {
  readonly assignments: AppAssignments
  readonly #parts: DrivesParts
  readonly #turns = new WaitingTurns()
  /** By call, who waits for an app of this gateway. */
  readonly #askers = new Map<string, { turn: number; asker: string }>()

  constructor(parts: DrivesParts) {
    this.#parts = parts
    this.assignments = new AppAssignments(parts)
    this.assignments.onStopped = (call) => this.#giveUp(call)
    parts.mailbox.on<ToDeliver>('frame', (delivery) => this.#deliverHere(delivery))
    parts.mailbox.on<ToPrepare>('prepare', (asked) => this.#askHere(asked))
    parts.mailbox.on<Prepared>('prepared', ({ call, turn, settled }) =>
      this.#turns.settle(call, turn, settled),
    )
  }

  /** Null where nobody holds the agent. */
  async appOf(call: DrivenCall): Promise<DrivingApp | null> {
    const row = await this.assignments.find(call.id)
    if (!row) return null
    const { app, socket, gateway } = row
    const offer = row.offer ?? { tools: [] }
    return { app: app ?? '', socket, gateway, instance: offer.instance ?? socket, offer }
  }

  /**
   * Before a generation, counted from 1 over the call: what the app has changed about the call's turns. The app is
   * asked, and waited for within its budget; what it says later counts for the next generation.
   */
  async prepare(call: DrivenCall, generation: number): Promise<PreparedSet> {
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

  /** What an app changed, also where nobody waits for it any longer. */
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

  /** Asks for a tool again, of the app that was asked before and of no other. False where it is not connected. */
  async redeliver(call: DrivenCall, entry: Entry): Promise<boolean> {
    const { app } = entry.data
    const found = typeof app === 'string' ? await this.socketOf(call, app) : await this.appOf(call)
    if (!found) return false
    await this.deliver(found, call.id, toolCallOf(entry))
    return true
  }

  /** Where the app's process is connected now. */
  async socketOf(call: DrivenCall, instance: string): Promise<{ socket: string; gateway: string } | null> {
    return (await store.findInstance(this.#parts.database, this.assignments.alive, call, instance)) ?? null
  }

  /** A frame about the call to a socket on whichever gateway. */
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
    return (await store.findDriven(this.#parts.database, this.assignments.alive, call))?.prepared ?? {}
  }

  #ask(row: DrivenRow, turn: number, budgetMs: number) {
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

  /** An app that is gone is not waited for. */
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

  /** Not waited for: the turn goes on. A call that has ended meanwhile needs it no longer. */
  #writeTimeout(call: DrivenCall, data: Record<string, unknown>) {
    const written = this.#parts.log.append(callLog(call), [{ type: 'call.preparingTimeout', data }])
    written.catch(() =>
      this.#parts.logger.info({ call: call.id }, 'a call ended before its turn was prepared'),
    )
  }

  #deliverHere({ call, socket, frame, after }: ToDeliver) {
    this.assignments.send(call, socket, frame, after)
  }
}

/** PostgreSQL does not take halves of characters. */
const wellFormed = (value: object) =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === 'string' ? part.toWellFormed() : part))

import type { AckEvents } from '@switchroom/contract/call-frames'
import type { Environment } from '@switchroom/contract/scopes'
import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Logger } from 'pino'
import type { AppSockets } from '../../agents/apps/app-sockets.ts'
import type { Holding } from '../../agents/apps/connected-apps.ts'
import type { RunningGateways } from '../../agents/apps/running-gateways.ts'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import type { LiveGateways } from '../../database/gateway-liveness.ts'
import { dayMs, later, minuteMs, secondMs, type Clock } from '../../foundation/clock.ts'
import { callOf } from '../records/call-object.ts'
import type { Log } from '../log/log.ts'
import type { LogRef } from '../log/entries.ts'
import type { LiveLogs } from '../log/live-logs.ts'
import type { GatewayMailbox } from '../between-gateways/gateway-mailbox.ts'
import { AppAssignment, type AssignmentStart, type NewAssignment } from './app-assignment.ts'
import * as store from './app-requests.store.ts'

/** For what no event told of: an app that connects or leaves, and a gateway that dies, are acted on at once. */
const pollEveryMs = 15 * secondMs
/** Until then acknowledgements are in this gateway's memory alone; an app knows what it has and drops what comes again. */
const storeAcksEveryMs = 2 * secondMs
/** How long an app may be away and still get the rest of a call that ended. */
const missedFor = dayMs
/** How many calls this gateway remembers as having a row. */
const mostSeen = 50_000

export interface AppAssignmentsParts {
  database: Database
  clock: Clock
  logger: Logger
  gateways: Pick<RunningGateways, 'id' | 'alive'>
  sockets: Pick<AppSockets, 'has' | 'send' | 'acknowledges'>
  log: Log
  liveLogs: LiveLogs
  mailbox: GatewayMailbox
}

export type AssignmentRow = NonNullable<Awaited<ReturnType<typeof store.findAssignment>>> & {
  gateway: string
  socket: string
}

/**
 * Which app socket each call is assigned to: the agent's newest one when the call opens, the newest other one when
 * that closes. The gateway that has the socket sends the app the call's log.
 */
export class AppAssignments {
  readonly #parts: AppAssignmentsParts
  readonly #assignments = new Map<string, AppAssignment>()
  readonly #seen = new Set<string>()
  readonly #running = new Set<Promise<unknown>>()
  /** Whose acknowledgements are not stored yet. */
  readonly #acknowledged = new Set<AppAssignment>()
  #reassigning: Promise<void> = Promise.resolve()
  readonly task: PeriodicTask = { name: 'reassign lost calls', everyMs: pollEveryMs, run: () => this.poll() }
  readonly acknowledging: PeriodicTask = {
    name: 'store acknowledgements',
    everyMs: storeAcksEveryMs,
    run: () => this.storeAcknowledged(),
  }
  /** Called when a call is no longer assigned to an app on this gateway. */
  onStopped: (call: string) => void = () => {}

  constructor(parts: AppAssignmentsParts) {
    this.#parts = parts
    parts.liveLogs.watch((log) => this.#see(log))
    parts.mailbox.on<NewAssignment>('drive', (assignment) => this.#begin(assignment))
  }

  async stop() {
    for (const assignment of this.#assignments.values()) assignment.stop()
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  /** Runs in the background; `stop` waits for it. */
  run(work: Promise<unknown>) {
    const running = work
      .catch((error: unknown) =>
        this.#parts.logger.warn({ err: error }, 'a call could not be assigned to its app'),
      )
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  get alive(): LiveGateways {
    return this.#parts.gateways.alive
  }

  /** The call with the socket it is assigned to; undefined if no app is connected for it. */
  async find(call: string): Promise<AssignmentRow | undefined> {
    const row = await store.findAssignment(this.#parts.database, this.alive, call)
    if (row && isAssigned(row)) return row
    // another request may have opened it in this moment, and not have found its socket yet
    if (!row) await store.insertAssignment(this.#parts.database, call)
    await this.#reassign(call, row?.socket ?? null)
    const again = await store.findAssignment(this.#parts.database, this.alive, call)
    return again && isAssigned(again) ? again : undefined
  }

  /** After every entry up to `after`, if the call is assigned to the socket. */
  send(call: string, socket: string, frame: object, after: number) {
    const assignment = this.#assignments.get(call)
    if (assignment?.socket === socket) assignment.sendAfter(after, frame)
    else this.#parts.sockets.send(socket, frame)
  }

  /**
   * To the socket of a phone line, or with null to the agent's connected app, which receives the log's entries from
   * here on. A line receives nothing after `call.routed`.
   */
  async assign(tx: Transaction, call: string, agent: string, line: string | null) {
    if (line === null) {
      await store.assignToAgent(tx, call, agent)
      tx.afterCommit(() => this.run(this.#reassign(call, null)))
    } else {
      const given = await store.assignToLine(tx, call, agent, line)
      const assignment = { call, agent, socket: line, byLine: true }
      tx.afterCommit(() => this.run(this.#startOn(given?.gateway ?? null, assignment)))
    }
  }

  /** The app on this socket has the events of these calls. */
  ack(socket: string, calls: AckEvents['calls']) {
    for (const { call, seq } of calls) {
      const assignment = this.#assignments.get(call)
      if (assignment?.socket === socket && assignment.acknowledge(seq)) this.#acknowledged.add(assignment)
    }
  }

  async storeAcknowledged() {
    const acknowledged = [...this.#acknowledged].filter(({ isStopped }) => !isStopped)
    this.#acknowledged.clear()
    if (acknowledged.length > 0) await store.storeAcknowledged(this.#parts.database, acknowledged)
  }

  /** Unassigned calls of the agent go to the app that connected. */
  appConnected({ socket, agent }: Holding) {
    this.run(this.#assignWaiting({ ...socket, agent }))
  }

  /** The app's calls go to the agent's newest other app. */
  appsDisconnected(holdings: readonly Holding[]) {
    for (const { socket, agent } of holdings)
      this.run(
        this.#stopWhere(
          (assignment) =>
            assignment.socket === socket.id && assignment.agent === agent && !assignment.isByLine,
        ).then(() => this.#assignWaiting({ ...socket, agent })),
      )
  }

  /** What apps of a gateway that died held goes to other apps. */
  holdingsLost(holdings: readonly { org: string; env: Environment; agent: string }[]) {
    for (const { org, env, agent } of holdings) this.run(this.#assignWaiting({ org, env, agent }))
  }

  socketsClosed(sockets: readonly string[]) {
    const closed = new Set(sockets)
    this.run(this.#stopWhere(({ socket }) => closed.has(socket)))
  }

  /** Reassigns calls of gateways that died, and those missed while the database did not answer. */
  async poll() {
    await this.#stopWhere(({ socket, isStopped }) => isStopped || !this.#parts.sockets.has(socket))
    for (const { call, socket } of await store.listUnassigned(this.#parts.database, this.alive))
      await this.#reassign(call, socket)
  }

  async deleteExpired(database: Queryable = this.#parts.database) {
    const now = this.#parts.clock.now()
    await store.deleteEnded(database, later(now, -minuteMs), later(now, -missedFor))
  }

  /** This gateway wrote to a log. */
  #see({ call }: LogRef) {
    if (call === null || this.#seen.has(call)) return
    this.#seen.add(call)
    if (this.#seen.size > mostSeen)
      for (const oldest of this.#seen.values().take(1)) this.#seen.delete(oldest)
    const opening = this.#open(call).catch((error: unknown) => {
      this.#seen.delete(call) // so that the next entry tries again
      throw error
    })
    this.run(opening)
  }

  async #open(call: string) {
    if (await store.insertAssignment(this.#parts.database, call)) await this.#reassign(call, null)
  }

  /** False if another gateway was faster, or if the socket may keep the call after all. */
  async #reassign(call: string, from: string | null): Promise<boolean> {
    const to = await store.reassign(this.#parts.database, this.alive, call, from)
    if (to?.socket) {
      const { agent, socket, gateway } = to
      await this.#startOn(gateway, { call, agent, socket, byLine: false })
    }
    return to !== undefined
  }

  async #startOn(gateway: string | null, assignment: NewAssignment) {
    if (gateway === this.#parts.gateways.id) this.#begin(assignment)
    else if (gateway !== null) await this.#parts.mailbox.send(gateway, 'drive', assignment)
  }

  #begin({ call, agent, socket, byLine }: NewAssignment) {
    const before = this.#assignments.get(call)
    const isSame = before?.socket === socket && before.agent === agent && before.isByLine === byLine
    if (isSame && !before.isStopped) return
    if (!this.#parts.sockets.has(socket)) return // closed meanwhile: its calls are reassigned
    before?.stop()
    const { log, liveLogs, logger, sockets, database } = this.#parts
    const acknowledges = sockets.acknowledges(socket)
    const assignment = new AppAssignment(
      { call, agent, socket, byLine },
      {
        log,
        liveLogs,
        logger,
        acknowledges,
        send: (frame) => sockets.send(socket, frame),
        begin: () => this.#startFor(call, socket, acknowledges),
        callOf: () => this.#callOf(call),
        unanswered: (upTo, instance) => store.listUnanswered(database, call, upTo, instance),
        onHandedOver: () => {
          if (this.#assignments.get(call) === assignment) this.#assignments.delete(call)
        },
        onDone: (sentUpTo) => this.run(this.#finish(call, socket, sentUpTo)),
      },
    )
    this.#assignments.set(call, assignment)
    this.run(assignment.start())
  }

  async #startFor(call: string, socket: string, acknowledges: boolean): Promise<AssignmentStart | undefined> {
    const { database } = this.#parts
    const started = await store.startSending(database, call, socket, acknowledges)
    const row = started && (await store.findAssignment(database, this.alive, call))
    if (!row) return undefined
    const instance = row.offer?.instance ?? socket
    const wantsAudioMetrics = row.offer?.analysis?.send_audio_metrics === true
    const contact = row.channel === 'msgapp' ? row.caller : null
    return { recipient: { instance, wantsAudioMetrics, contact }, sentUpTo: started.told }
  }

  async #callOf(id: string) {
    const row = await store.findRecord(this.#parts.database, id)
    if (!row) throw new Error(`there is no call ${id}`)
    return callOf(row)
  }

  async #finish(call: string, socket: string, sentUpTo: number) {
    this.#assignments.delete(call)
    this.#seen.delete(call)
    this.onStopped(call)
    await store.stopSending(this.#parts.database, call, socket, sentUpTo, true)
  }

  /** Stops at once and reassigns in sequence, because the closing of one socket is reported in more than one way. */
  #stopWhere(isMeant: (assignment: AppAssignment) => boolean): Promise<void> {
    const meant = this.#assignments.values().filter(isMeant).toArray()
    for (const assignment of meant) assignment.stop()
    const reassigned = this.#reassigning.then(() => this.#reassignAll(meant))
    this.#reassigning = reassigned.catch(() => {})
    return reassigned
  }

  async #reassignAll(stopped: readonly AppAssignment[]) {
    for (const assignment of stopped) {
      const { call, socket, doneUpTo } = assignment
      if (this.#assignments.get(call) !== assignment) continue // it was reassigned before
      if (doneUpTo !== null) await store.stopSending(this.#parts.database, call, socket, doneUpTo, false)
      if (this.#assignments.get(call) === assignment) this.#assignments.delete(call)
      this.onStopped(call)
      if (!(await this.#reassign(call, socket))) await this.#resume(call, socket)
    }
  }

  /** The app released the agent and registered it again before its call was reassigned. */
  async #resume(call: string, socket: string) {
    const row = await store.findAssignment(this.#parts.database, this.alive, call)
    if (row?.gateway !== this.#parts.gateways.id || row.socket !== socket || row.done) return
    this.#begin({ call, agent: row.agent, socket, byLine: row.by_line })
  }

  async #assignWaiting(agent: { org: string; env: Environment; agent: string }) {
    for (const { call, socket } of await store.listUnassignedOf(this.#parts.database, this.alive, agent))
      await this.#reassign(call, socket)
  }
}

const isAssigned = (row: { gateway: string | null; socket: string | null }): row is AssignmentRow =>
  row.gateway !== null && row.socket !== null

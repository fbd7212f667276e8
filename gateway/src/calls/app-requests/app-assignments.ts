import type { Environment } from '@switchroom/contract/scopes'
import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { Logger } from 'pino'
import type { AppSockets } from '../../agents/apps/app-sockets.ts'
import type { Holding } from '../../agents/apps/connected-apps.ts'
import type { RunningGateways } from '../../agents/apps/running-gateways.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { later, minuteMs, secondMs, type Clock } from '../../foundation/clock.ts'
import { callOf } from '../records/call-object.ts'
import type { Log } from '../log/log.ts'
import type { LogRef } from '../log/stamping.ts'
import type { LiveLogs } from '../log/live-logs.ts'
import type { GatewayMailbox } from '../between-gateways/gateway-mailbox.ts'
import { Drive, type Beginning, type ToDrive } from './app-assignment.ts'
import * as store from './app-requests.store.ts'

const pollEveryMs = 5 * secondMs
/** Of as many calls this gateway remembers that they have a row. */
const mostSeen = 50_000

export interface DrivesParts {
  database: Database
  clock: Clock
  logger: Logger
  gateways: Pick<RunningGateways, 'id' | 'aliveSince'>
  sockets: Pick<AppSockets, 'has' | 'send'>
  log: Log
  liveLogs: LiveLogs
  mailbox: GatewayMailbox
}

export type DrivenRow = NonNullable<Awaited<ReturnType<typeof store.findDriven>>> & {
  gateway: string
  socket: string
}

/**
 * Which socket drives a call: that of the newest holder when the call opened, and when it goes that of the newest
 * other. The gateway that has the socket tells the app what happens, from the call's log.
 */
export class AppAssignments {
  readonly #parts: DrivesParts
  readonly #assignments = new Map<string, Drive>()
  readonly #seen = new Set<string>()
  readonly #running = new Set<Promise<unknown>>()
  #lettingGo: Promise<void> = Promise.resolve()
  readonly task: PeriodicTask = { name: 'reassign lost calls', everyMs: pollEveryMs, run: () => this.poll() }
  /** Told when an app of this gateway no longer drives the call. */
  onStopped: (call: string) => void = () => {}

  constructor(parts: DrivesParts) {
    this.#parts = parts
    parts.liveLogs.watch((log) => this.#see(log))
    parts.mailbox.on<ToDrive>('drive', (drive) => this.#begin(drive))
  }

  async stop() {
    for (const drive of this.#assignments.values()) drive.stop()
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  /** Goes on beside whatever is under way. */
  run(work: Promise<unknown>) {
    const running = work
      .catch((error: unknown) =>
        this.#parts.logger.warn({ err: error }, 'an app could not be told of a call'),
      )
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  get alive(): store.Alive {
    return { own: this.#parts.gateways.id, since: this.#parts.gateways.aliveSince }
  }

  /** The call with the socket that drives it; undefined where nobody does. */
  async find(call: string): Promise<DrivenRow | undefined> {
    const row = await store.findDriven(this.#parts.database, this.alive, call)
    if (row && isDriven(row)) return row
    if (row) await this.#passOn(call, row.socket)
    else await this.#open(call)
    const again = await store.findDriven(this.#parts.database, this.alive, call)
    return again && isDriven(again) ? again : undefined
  }

  /** Where what happened up to `after` was told before, if the socket drives the call. */
  send(call: string, socket: string, frame: object, after: number) {
    const drive = this.#assignments.get(call)
    if (drive?.socket === socket) drive.sendAfter(after, frame)
    else this.#parts.sockets.send(socket, frame)
  }

  /**
   * To the socket of a phone line, or with null to whoever holds the agent, who is told what the log takes from here
   * on. A line is told no more from `call.routed` on.
   */
  async give(tx: Transaction, call: string, agent: string, line: string | null) {
    if (line === null) {
      await store.giveToAgent(tx, call, agent)
      tx.afterCommit(() => this.run(this.#passOn(call, null)))
    } else {
      const given = await store.giveToLine(tx, call, agent, line)
      const toDrive = { call, agent, socket: line, byLine: true }
      tx.afterCommit(() => this.run(this.#tellToBegin(given?.gateway ?? null, toDrive)))
    }
  }

  /** Calls that nobody drove are this app's. */
  held({ socket, agent }: Holding) {
    this.run(this.#takeLost({ ...socket, agent }))
  }

  /** Its calls are the newest other holder's. */
  released(holdings: readonly Holding[]) {
    for (const { socket, agent } of holdings)
      this.run(
        this.#letGo((drive) => drive.socket === socket.id && drive.agent === agent && !drive.isByLine).then(
          () => this.#takeLost({ ...socket, agent }),
        ),
      )
  }

  gone(sockets: readonly string[]) {
    const gone = new Set(sockets)
    this.run(this.#letGo(({ socket }) => gone.has(socket)))
  }

  /** What got lost with a gateway, or while the database did not answer. */
  async poll() {
    await this.#letGo(({ socket, isStopped }) => isStopped || !this.#parts.sockets.has(socket))
    for (const { call, socket } of await store.listLost(this.#parts.database, this.alive))
      await this.#passOn(call, socket)
  }

  async deleteExpired() {
    await store.forgetEnded(this.#parts.database, later(this.#parts.clock.now(), -minuteMs))
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
    if (await store.insertDriven(this.#parts.database, call)) await this.#passOn(call, null)
  }

  /** Whether it was; not where another was faster, or where the socket may drive it after all. */
  async #passOn(call: string, from: string | null): Promise<boolean> {
    const passed = await store.passOn(this.#parts.database, this.alive, call, from)
    if (passed?.socket) {
      const { agent, socket, gateway } = passed
      await this.#tellToBegin(gateway, { call, agent, socket, byLine: false })
    }
    return passed !== undefined
  }

  async #tellToBegin(gateway: string | null, toDrive: ToDrive) {
    if (gateway === this.#parts.gateways.id) this.#begin(toDrive)
    else if (gateway !== null) await this.#parts.mailbox.send(gateway, 'drive', toDrive)
  }

  #begin({ call, agent, socket, byLine }: ToDrive) {
    const before = this.#assignments.get(call)
    const isSame = before?.socket === socket && before.agent === agent && before.isByLine === byLine
    if (isSame && !before.isStopped) return
    if (!this.#parts.sockets.has(socket)) return // gone meanwhile, and its calls are passed on
    before?.stop()
    const { log, liveLogs, logger, sockets, database } = this.#parts
    const drive = new Drive(
      { call, agent, socket, byLine },
      {
        log,
        liveLogs,
        logger,
        send: (frame) => sockets.send(socket, frame),
        begin: () => this.#beginning(call, socket),
        callOf: () => this.#callOf(call),
        unanswered: (upTo, instance) => store.listUnanswered(database, call, upTo, instance),
        onHandedOver: () => {
          if (this.#assignments.get(call) === drive) this.#assignments.delete(call)
        },
        onDone: (told) => this.run(this.#finish(call, socket, told)),
      },
    )
    this.#assignments.set(call, drive)
    this.run(drive.start())
  }

  async #beginning(call: string, socket: string): Promise<Beginning | undefined> {
    const { database } = this.#parts
    const begun = await store.beginTelling(database, call, socket)
    const row = begun && (await store.findDriven(database, this.alive, call))
    if (!row) return undefined
    const instance = row.offer?.instance ?? socket
    const wantsAudioMetrics = row.offer?.analysis?.send_audio_metrics === true
    const contact = row.channel === 'msgapp' ? row.caller : null
    return { listener: { instance, wantsAudioMetrics, contact }, told: begun.told }
  }

  async #callOf(id: string) {
    const row = await store.findHead(this.#parts.database, id)
    if (!row) throw new Error(`there is no call ${id}`)
    return callOf(row)
  }

  async #finish(call: string, socket: string, told: number) {
    this.#assignments.delete(call)
    this.#seen.delete(call)
    this.onStopped(call)
    await store.stopTelling(this.#parts.database, call, socket, told, true)
  }

  /** Stopped at once, and passed on one after the other: that a socket went is told in more than one way. */
  #letGo(isMeant: (drive: Drive) => boolean): Promise<void> {
    const meant = this.#assignments.values().filter(isMeant).toArray()
    for (const drive of meant) drive.stop()
    const letting = this.#lettingGo.then(() => this.#passOnAll(meant))
    this.#lettingGo = letting.catch(() => {})
    return letting
  }

  async #passOnAll(stopped: readonly Drive[]) {
    for (const drive of stopped) {
      const { call, socket, told } = drive
      if (this.#assignments.get(call) !== drive) continue // it was passed on before
      if (told !== null) await store.stopTelling(this.#parts.database, call, socket, told, false)
      if (this.#assignments.get(call) === drive) this.#assignments.delete(call)
      this.onStopped(call)
      if (!(await this.#passOn(call, socket))) await this.#goOn(call, socket)
    }
  }

  /** The app let go of the agent and took it again before its call was passed on. */
  async #goOn(call: string, socket: string) {
    const row = await store.findDriven(this.#parts.database, this.alive, call)
    if (row?.gateway !== this.#parts.gateways.id || row.socket !== socket || row.done) return
    this.#begin({ call, agent: row.agent, socket, byLine: row.by_line })
  }

  async #takeLost(held: { org: string; env: Environment; agent: string }) {
    for (const { call, socket } of await store.listLostOf(this.#parts.database, this.alive, held))
      await this.#passOn(call, socket)
  }
}

const isDriven = (row: { gateway: string | null; socket: string | null }): row is DrivenRow =>
  row.gateway !== null && row.socket !== null

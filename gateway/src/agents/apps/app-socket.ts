import type { WebSocket } from '@fastify/websocket'
import { UnregisterAgent, type AgentRegistered } from '@switchroom/contract/apps'
import { AckEvents, callFrames, type CallFrame } from '@switchroom/contract/call-frames'
import type { Logger } from 'pino'
import { setTimeout as pause } from 'node:timers/promises'
import { isUnavailable } from '../../database/database.ts'
import { refusalOfRace } from '../../database/retries.ts'
import { outsideList, type Caller } from '../../foundation/caller.ts'
import { Refusal, unavailable } from '../../foundation/refusals.ts'
import { newId } from '../../foundation/secrets.ts'
import type { Access } from '../../http/access.ts'
import { holdsNul, nulInside } from '../../http/json-body.ts'
import type { OpenConnection, OpenConnections } from '../../http/open-connections.ts'
import { shapedAs } from '../../http/shape-checks.ts'
import { closeWith } from '../../http/sockets.ts'
import { fixedBy, halvesFixedBy } from '../stages/declaration.ts'
import type { DeclaredModels } from './declared-models.ts'
import {
  agentOf,
  errorFrame,
  readFrame,
  refusalFrame,
  typeOf,
  unknownFrame,
  type Frame,
  type FrameSource,
} from './frames.ts'
import type { ConnectedApps, Holding, SocketRow } from './connected-apps.ts'
import { readRegistration } from './register-frame.ts'

/** An app that sends faster than it is served is not read from meanwhile. */
const mostWaiting = 32
/** An app that does not read what it is sent is disconnected. */
const mostUnreadBytes = 1024 * 1024

export interface AppSocketParts {
  connectedApps: ConnectedApps
  declaredModels: DeclaredModels
  connections: OpenConnections
  logger: Logger
  /** Takes what an app sends about a call, in its shape. Refused as any frame. */
  takeCallFrame: (from: FrameSource, frame: CallFrame) => Promise<void>
  /** Takes what an app sends about a phone line, in whatever shape. */
  takeLineFrame: (from: FrameSource, frame: Frame) => Promise<void>
  /** Up to where an app has received the events of its calls. */
  takeAck: (socket: string, calls: AckEvents['calls']) => void
  /** What keeps calls from an agent although an app holds it, one sentence each. */
  warningsOf: (caller: Caller, agent: string) => Promise<string[]>
  /** Called after the app was answered. */
  onHeld: (holding: Holding) => void
  onReleased: (holdings: readonly Holding[]) => void
  /** Called once, when the socket no longer counts. */
  onGone: (id: string, held: readonly Holding[]) => void
}

/** How often a result is tried while the database cannot serve. */
const unservedMs = 250
const unserved = () =>
  unavailable('the database cannot serve this frame at the moment: send it again in 2 seconds')

const lineFrames: ReadonlySet<string> = new Set(['line.register', 'call.route'])

/** One app on its socket, whose frames are taken one after the other. */
export class AppSocket implements OpenConnection {
  readonly kind = 'app_socket'
  readonly id = newId('app', 8)
  readonly access: Access
  readonly #socket: WebSocket
  readonly #parts: AppSocketParts
  readonly #held = new Map<string, Holding>()
  #caller: Caller
  #row: SocketRow | undefined
  #work: Promise<void> = Promise.resolve()
  #waiting = 0
  #isGone = false
  #acknowledges = false

  constructor(socket: WebSocket, caller: Caller, access: Access, parts: AppSocketParts) {
    this.#socket = socket
    this.#caller = caller
    this.access = access
    this.#parts = parts
    socket.on('message', (data: Buffer, isBinary) => this.#then(() => this.#take(data, isBinary)))
    socket.once('close', () => this.#leave())
    this.#then(async () => {
      this.#row = await parts.connectedApps.connect(this.id, caller)
    })
    parts.connections.add(this)
  }

  get caller() {
    return this.#caller
  }

  /** Whether its app acknowledges what it receives. */
  get acknowledges(): boolean {
    return this.#acknowledges
  }

  /** Whether it is on its way: a socket that closes takes nothing more. */
  send(frame: object): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN) return false
    this.#socket.send(JSON.stringify(frame))
    if (this.#socket.bufferedAmount > mostUnreadBytes) this.#socket.terminate()
    return true
  }

  /** Closes it and releases its agents, without waiting until the app has closed its side. */
  close(code: number, sentence: string) {
    closeWith(this.#socket, code, sentence)
    this.#leave()
  }

  stays(caller: Caller) {
    this.#caller = caller
    this.#then(() => this.#dropOutside(caller))
  }

  ends(refusal: Refusal) {
    this.close(1008, refusal.message)
  }

  async leaves() {
    this.close(1001, 'this gateway is stopping')
    if (this.#socket.readyState !== this.#socket.CLOSED)
      await new Promise((resolve) => this.#socket.once('close', resolve))
    await this.#work
  }

  /** One after the other, and nothing more once the socket is gone. */
  #then(work: () => Promise<void>) {
    this.#waiting += 1
    if (this.#waiting > mostWaiting) this.#socket.pause()
    this.#work = this.#work
      .then(() => (this.#isGone ? undefined : work()))
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#waiting -= 1
        if (this.#waiting <= mostWaiting && this.#socket.isPaused) this.#socket.resume()
      })
  }

  #fail(error: unknown) {
    if (error instanceof Refusal) return this.close(1013, error.message)
    this.#parts.logger.error({ err: error, socket: this.id }, "an app's socket failed")
    this.close(1011, 'something broke on our side')
  }

  #leave() {
    if (this.#isGone) return
    this.#isGone = true
    this.#parts.connections.delete(this)
    // What runs now may still write, and what is deleted before would come back.
    void this.#work.then(() => this.#parts.onGone(this.id, [...this.#held.values()]))
  }

  async #take(data: Buffer, isBinary: boolean) {
    let frame: Frame | undefined
    try {
      frame = readFrame(data, isBinary)
      if (data.includes('\\u0000') && holdsNul(frame)) throw nulInside()
      await this.#actWhenServed(frame)
    } catch (error) {
      const refusal = this.#refusalOf(error)
      this.send(frame ? refusalFrame(frame, refusal) : errorFrame(null, refusal))
    }
  }

  /** A tool has run and its call waits: while the database cannot serve, its result is kept and tried again. */
  async #actWhenServed(frame: Frame) {
    for (;;)
      try {
        return await this.#act(frame)
      } catch (error) {
        if (typeOf(frame) !== 'tool.result' || !isUnavailable(error) || this.#isGone) throw error
        this.#parts.logger.warn({ err: error, socket: this.id }, 'a tool result waits for the database')
        await pause(unservedMs)
      }
  }

  async #act(frame: Frame) {
    const type = typeOf(frame)
    if (type.endsWith('.register')) this.#acknowledges ||= frame['acknowledges'] === true
    if (type === 'agent.register') await this.#register(frame)
    else if (type === 'agent.unregister') await this.#unregister(shapedAs(UnregisterAgent, frame))
    else if (type === 'events.ack') this.#parts.takeAck(this.id, shapedAs(AckEvents, frame).calls)
    else if (isCallFrame(type))
      await this.#parts.takeCallFrame(this.#source, shapedAs(callFrames[type], frame))
    else if (lineFrames.has(type)) await this.#parts.takeLineFrame(this.#source, frame)
    else throw unknownFrame(type)
  }

  get #source(): FrameSource {
    const holder = this.#row?.holder ?? ''
    return { socket: this.id, caller: this.#caller, holder, send: (frame) => this.send(frame) }
  }

  async #register(frame: Frame) {
    const caller = await this.#parts.connections.judged(this)
    if (!caller || !this.#row) return
    const named = agentOf(frame)
    if (named !== null && isOutside(caller, named)) throw outsideList(caller)
    const registration = readRegistration(frame, caller.label)
    const { agent, declaration } = registration
    await this.#parts.declaredModels.refuseForbidden(caller, declaration.declared)
    await this.#parts.connectedApps.register(this.#row, registration)
    const isNew = !this.#held.has(agent)
    const holding = { socket: this.#row, agent, app: declaration.app, isNew }
    this.#held.set(agent, holding)
    const warnings = await this.#warningsOf(caller, agent)
    const registered: AgentRegistered = {
      type: 'agent.registered',
      agent,
      env: caller.env,
      fixed: fixedBy(declaration),
      lexicon_fixed: halvesFixedBy(declaration),
      ...(warnings.length > 0 && { warnings }),
    }
    this.send(registered)
    this.#parts.onHeld(holding)
  }

  /** A registration does not fail because of what it could not warn about. */
  async #warningsOf(caller: Caller, agent: string): Promise<string[]> {
    try {
      return await this.#parts.warningsOf(caller, agent)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return [error.message] // such as settings that name a vendor which is no longer installed
    }
  }

  async #unregister({ agent }: { agent: string }) {
    const holding = this.#held.get(agent)
    if (!holding) return
    await this.#parts.connectedApps.unregister(holding.socket, agent)
    this.#held.delete(agent)
    this.#parts.onReleased([holding])
  }

  async #dropOutside(caller: Caller) {
    for (const agent of this.#held.keys()) {
      if (!isOutside(caller, agent)) continue
      await this.#unregister({ agent })
      this.send(errorFrame(agent, outsideList(caller)))
    }
  }

  #refusalOf(error: unknown): Refusal {
    if (error instanceof Refusal) return error
    const passing = isUnavailable(error) ? unserved() : refusalOfRace(error)
    this.#parts.logger[passing ? 'warn' : 'error']({ err: error, socket: this.id }, "an app's frame failed")
    return passing ?? new Refusal(500, 'something broke on our side')
  }
}

const isCallFrame = (type: string): type is keyof typeof callFrames => Object.hasOwn(callFrames, type)

const isOutside = ({ agents }: Caller, agent: string) => agents.length > 0 && !agents.includes(agent)

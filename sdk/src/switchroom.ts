import { randomUUID } from 'node:crypto'
import type { AgentHolders, AgentRegistered } from '@switchroom/contract/apps'
import { Address, type AddressOptions } from './address.ts'
import { Agent, type HoldOptions } from './agent.ts'
import { BackOff } from './back-off.ts'
import { Connection } from './connection.ts'
import { deferred } from './deferred.ts'
import { DrivenCalls, type HappenedFrame } from './driven-calls.ts'
import { encoded } from './encoding.ts'
import { messageOf, SwitchroomError } from './errors.ts'
import type { Named } from './event-names.ts'
import { Handlers, type Handler } from './handlers.ts'
import type { PhoneLine } from './line.ts'
import { heldIn, type Held } from './held.ts'
import { Outbox } from './outbox.ts'

export interface SwitchroomOptions extends AddressOptions {
  /** The name of this process in lists of apps. Default: the label of its key. */
  app?: string
}

export interface SwitchroomEvents {
  connected: []
  /** It reconnects by itself until it is closed. */
  disconnected: [reason: string]
  /** A refusal that is about no agent and no line. */
  error: [error: SwitchroomError]
}

const switchroomEvents: Named<SwitchroomEvents> = { connected: true, disconnected: true, error: true }

/** Temporary refusals: another process still has the line or the agent, or the gateway could not check. */
const passing = new Set(['INTERNAL_ERROR', 'LINE_CONFLICT', 'AGENT_HELD'])
const drainsWithinMs = 10_000

/** The connection of this process to the gateway: its agents and lines, and their calls. */
export class Switchroom {
  /** The gateway's address. */
  readonly url: string
  readonly #app: { name: string | undefined; instance: string }
  readonly #connection: Connection
  readonly #handlers = new Handlers<SwitchroomEvents>('a connection', switchroomEvents)
  readonly #agents = new Map<string, Agent>()
  readonly #lines = new Map<string, PhoneLine>()
  readonly #holdOptions = new Map<Agent, HoldOptions>()
  readonly #outbox = new Outbox()
  readonly #calls: DrivenCalls
  /** The next attempt after a temporary refusal. */
  readonly #askingAgain = new Map<Held, { backOff: BackOff; timer?: NodeJS.Timeout }>()
  /** Rejects what still waits for the gateway at close. */
  readonly #closed = deferred<never>()
  #closing: Promise<void> | undefined
  #isToldOfLoss = false

  constructor(options: SwitchroomOptions = {}) {
    const address = new Address(options)
    this.#closed.promise.catch(() => {}) // a rejection that is not awaited is not an error
    this.url = address.url
    this.#app = { name: options.app, instance: randomUUID() }
    this.#calls = new DrivenCalls({
      agent: (name) => this.#agents.get(name),
      line: (number) => this.#lines.get(number),
      send: (frame) => this.#post(frame),
      sendNow: (text) => void this.#connection.send(text),
      entries: (call) => address.entries(call),
      search: (call, asked) => address.ask('POST', `/v1/calls/${encodeURIComponent(call)}/search`, asked),
    })
    this.#connection = new Connection({
      url: () => address.socket('/v1/apps'),
      headers: address.headers,
      onOpen: () => this.#opened(),
      onFrame: (frame) => this.#take(frame),
      onLost: (reason) => this.#lost(reason),
      onRefused: (error, status) => this.#turnedAway(error, status),
    })
  }

  get isConnected(): boolean {
    return this.#connection.isOpen
  }

  /**
   * Registers them, again after every reconnect. Resolves when the gateway has accepted all; rejects if it refuses one.
   * What another process still has is asked for again until that lets go. Options may come last.
   */
  async hold(...given: readonly Held[] | readonly [...Held[], HoldOptions]): Promise<void> {
    if (this.#closing) throw closed()
    const { held, options } = heldIn(given)
    for (const each of held) {
      if (each instanceof Agent) {
        this.#agents.set(each.name, each)
        this.#holdOptions.set(each, options)
      } else {
        this.#lines.set(each.number, each)
        each.routesBy((call, agent) => {
          this.#connection.send(encoded({ type: 'call.route', call, agent }))
        })
      }
      if (this.isConnected) this.#register(each)
    }
    await Promise.race([Promise.all(held.map((each) => each.ready)), this.#closed.promise])
  }

  /** Unregisters the agent. Its calls pass to another connected app of the agent. */
  release(agent: Agent): void {
    if (this.#agents.delete(agent.name)) this.#unregister(agent)
    this.#holdOptions.delete(agent)
    agent.awaitsGateway()
  }

  on<Name extends keyof SwitchroomEvents>(event: Name, handler: Handler<SwitchroomEvents, Name>): this {
    this.#handlers.add(event, handler)
    return this
  }

  off<Name extends keyof SwitchroomEvents>(event: Name, handler: Handler<SwitchroomEvents, Name>): this {
    this.#handlers.remove(event, handler)
    return this
  }

  /** Accepts nothing new, waits until running tools are done and their results have arrived, and closes. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    this.#closed.reject(closed())
    for (const { timer } of this.#askingAgain.values()) clearTimeout(timer)
    for (const agent of this.#agents.values()) this.#unregister(agent)
    if (this.isConnected) {
      const late = deferred<void>()
      const timer = setTimeout(late.resolve, drainsWithinMs)
      await Promise.race([this.#calls.toolRuns.drained(), late.promise])
      clearTimeout(timer)
      this.#calls.acknowledgements.flush()
    }
    await this.#connection.close()
    for (const held of this.#held()) held.awaitsGateway()
  }

  #held(): Held[] {
    return [...this.#agents.values(), ...this.#lines.values()]
  }

  #opened(): void {
    this.#isToldOfLoss = false
    if (!this.#closing) for (const held of this.#held()) this.#register(held)
    this.#calls.toolRuns.sendAgain()
    for (const text of this.#outbox.takeAll()) this.#connection.send(text)
    void this.#handlers.run('connected', [])
  }

  #lost(reason: string): void {
    for (const held of this.#held()) if (held.state === 'ready') held.awaitsGateway()
    void this.#handlers.run('disconnected', [reason])
    if (this.#isToldOfLoss || this.#handlers.has('disconnected')) return
    this.#isToldOfLoss = true
    process.emitWarning(`no connection to ${this.url} (${reason}): reconnecting`, 'SwitchroomWarning')
  }

  /** A refused key is reported once to each agent and line, and retried: the key may become valid. */
  #turnedAway(error: SwitchroomError, status: number): boolean {
    if (status >= 500 || status === 429) return true // a gateway that starts or is busy
    const untold = this.#held().filter(({ state }) => state !== 'refused')
    for (const held of untold) held.refused(error)
    if (untold.length === 0 && !this.#isToldOfLoss) this.#handlers.tell(error)
    this.#isToldOfLoss = true
    return true
  }

  #register(held: Held): void {
    held.awaitsGateway()
    try {
      const frame = held instanceof Agent ? held.frame(this.#app, this.#holdOptions.get(held)) : held.frame()
      this.#connection.send(encoded(frame))
    } catch (error) {
      held.refused(
        error instanceof SwitchroomError ? error : new SwitchroomError('BAD_FRAME', messageOf(error)),
      )
    }
  }

  #unregister({ name }: Agent): void {
    this.#connection.send(encoded({ type: 'agent.unregister', agent: name }))
  }

  /** Sent now, or as soon as there is a connection. */
  #post(frame: object): void {
    const text = encoded(frame)
    if (!this.#connection.send(text)) this.#outbox.put(text)
  }

  #take(frame: Record<string, unknown>): void {
    const { type, call, data } = frame
    if (type === 'agent.registered') this.#registered(frame as unknown as AgentRegistered)
    else if (type === 'ready') this.#accepted(this.#lines.get(String(frame['number'])))
    else if (type === 'agent.holders')
      this.#agents.get(String(frame['agent']))?.sharedWith(frame as unknown as AgentHolders)
    else if (type === 'tool.received') this.#calls.toolRuns.received(String(call), String(frame['id']))
    else if (typeof data === 'object' && data !== null)
      this.#calls.happened(frame as unknown as HappenedFrame) // an `error` with data is an entry of the call's log
    else if (type === 'error') this.#refused(frame)
  }

  /** The gateway's warnings come as errors of the agent, which is registered all the same. */
  #registered({ agent: name, warnings = [] }: AgentRegistered): void {
    const agent = this.#agents.get(name)
    this.#accepted(agent)
    for (const warning of warnings) agent?.tell(new SwitchroomError('PROVIDER_KEY_REQUIRED', warning))
  }

  #refused({ agent, call, number, code, detail, request }: Record<string, unknown>): void {
    const error = new SwitchroomError(String(code), String(detail))
    if (typeof request === 'string') this.#calls.refused(String(call), request, error.detail)
    const held = this.#lines.get(String(number)) ?? this.#agents.get(String(agent))
    if (held && call === undefined) return this.#registrationRefused(held, error)
    // among frames about a call, only the one that routes it names an agent
    if (agent !== null && typeof call === 'string')
      for (const line of this.#lines.values()) line.routeRefused(call)
    const concerned = this.#calls.driverOf(String(call)) ?? held
    if (concerned) concerned.tell(error)
    else this.#handlers.tell(error)
  }

  #accepted(held: Held | undefined): void {
    if (!held) return
    this.#askingAgain.delete(held)
    held.accepted()
  }

  #registrationRefused(held: Held, error: SwitchroomError): void {
    held.refused(error)
    if (!passing.has(error.code) || this.#closing) return
    const { backOff, timer: before } = this.#askingAgain.get(held) ?? { backOff: new BackOff() }
    clearTimeout(before) // it was asked for since, at a reconnect
    const timer = setTimeout(() => {
      if (held.state === 'refused' && this.isConnected) this.#register(held)
    }, backOff.nextMs())
    this.#askingAgain.set(held, { backOff, timer })
  }
}

const closed = () => new SwitchroomError('CLOSED', 'the connection was closed by close(): connect again')

/** Connects this process to a gateway: one socket for all the agents and lines it holds. */
export const connect = (options: SwitchroomOptions = {}) => new Switchroom(options)

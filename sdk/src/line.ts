import type { RegisterLine } from '@switchroom/contract/call-frames'
import type { RouteFailure } from '@switchroom/contract/lines'
import type { Agent } from './agent.ts'
import type { Call } from './call.ts'
import type { SwitchroomError } from './errors.ts'
import type { LineEvents } from './events.ts'
import { Handlers, type Handler } from './handlers.ts'
import { Registration, type RegistrationState } from './registration.ts'

export interface PhoneLineOptions {
  /** As +34911234567. */
  number: string
  /** How long digits dialled after the number are taken for an extension: 0 to 10000. */
  extensionMs?: number
}

/** `refused` where the gateway does not let this process hand the call over; an `error` tells why. */
export type RouteOutcome = { routed: true } | { routed: false; reason: RouteFailure | 'ended' | 'refused' }

/** A call that the gateway was asked to hand over, and has not answered. */
interface Route extends PromiseWithResolvers<RouteOutcome> {
  agent: string
}

/** A phone number whose calls come to this process first, before any agent has them. */
export class PhoneLine {
  readonly number: string
  readonly #options: PhoneLineOptions
  readonly #handlers = new Handlers<LineEvents>()
  readonly #registration = new Registration()
  readonly #routes = new Map<string, Route>()
  #send: ((call: string, agent: string) => void) | undefined

  constructor(options: PhoneLineOptions) {
    this.number = options.number
    this.#options = options
  }

  /** Settles when the gateway gives this process the line; pending again while the connection is lost. */
  get ready(): Promise<void> {
    return this.#registration.ready
  }

  get state(): RegistrationState {
    return this.#registration.state
  }

  on<Name extends keyof LineEvents>(event: Name, handler: Handler<LineEvents, Name>): this {
    this.#handlers.add(event, handler)
    return this
  }

  off<Name extends keyof LineEvents>(event: Name, handler: Handler<LineEvents, Name>): this {
    this.#handlers.remove(event, handler)
    return this
  }

  /** Hands the call to an agent. Never fails: a call that was not handed over stays with the line. */
  route(call: Call, agent: Agent | string): Promise<RouteOutcome> {
    if (!this.#send) throw new Error(`the line ${this.number} is on no connection: hold it first`)
    const name = typeof agent === 'string' ? agent : agent.name
    const asked = this.#routes.get(call.id) ?? Promise.withResolvers<RouteOutcome>()
    this.#routes.set(call.id, { ...asked, agent: name })
    if (this.state === 'ready') this.#send(call.id, name)
    return asked.promise
  }

  /** Asked by the connection: how the line is registered. */
  frame(): RegisterLine {
    const { number, extensionMs } = this.#options
    return { type: 'line.register', number, ...(extensionMs !== undefined && { extensionMs }) }
  }

  /** Told by the connection: how it routes. */
  routesBy(send: (call: string, agent: string) => void): void {
    this.#send = send
  }

  /** Told by the connection. */
  awaitsGateway(): void {
    this.#registration.await()
  }

  /** Told by the connection. */
  accepted(): void {
    this.#registration.accept()
    for (const [call, { agent }] of this.#routes) this.#send?.(call, agent) // the answer may have been lost
    void this.#handlers.run('ready', [])
  }

  /** Told by the connection. */
  refused(error: SwitchroomError): void {
    this.#registration.refuse(error)
    this.tell(error)
  }

  /** Told by the connection: the gateway did not look at a request to hand the call over. */
  routeRefused(call: string): void {
    this.#settle(call, { routed: false, reason: 'refused' })
  }

  /** Told by the connection: an error that concerns this line. */
  tell(error: SwitchroomError): void {
    this.#handlers.tell(error)
  }

  /** Told by the connection: what happened; answers what the handlers answered. */
  happened(event: string, args: readonly unknown[]): Promise<unknown[]> {
    const [first, second] = args
    if (event === 'call.routed') this.#settle((second as Call).id, { routed: true })
    if (event === 'call.route_failed') {
      const { reason } = first as { reason: RouteFailure }
      this.#settle((second as Call).id, { routed: false, reason })
    }
    if (event === 'call.ended') this.#settle((first as Call).id, { routed: false, reason: 'ended' })
    return this.#handlers.run(event as keyof LineEvents, args)
  }

  #settle(call: string, outcome: RouteOutcome): void {
    this.#routes.get(call)?.resolve(outcome)
    this.#routes.delete(call)
  }
}

import type { RegisterLine } from '@switchroom/contract/call-frames'
import type { RouteFailure } from '@switchroom/contract/lines'
import type { Agent } from './agent.ts'
import type { Call } from './call.ts'
import { deferred, type Deferred } from './deferred.ts'
import { SwitchroomError } from './errors.ts'
import { lineEvents } from './event-names.ts'
import type { LineEvents } from './events.ts'
import { Handlers, type Handler } from './handlers.ts'
import { Registration, type RegistrationState } from './registration.ts'

export interface PhoneLineOptions {
  /** Such as +34911234567. */
  number: string
  /** How long digits dialled after the number are taken for an extension: 0 to 10000. */
  extensionMs?: number
}

/** `refused` if the gateway does not let this process route the call; the `error` event has the reason. */
export type RouteOutcome = { routed: true } | { routed: false; reason: RouteFailure | 'ended' | 'refused' }

/** A route that the gateway has not answered yet. */
interface Route extends Deferred<RouteOutcome> {
  agent: string
}

/** A phone number whose calls come to this process first, before any agent gets them. */
export class PhoneLine {
  readonly number: string
  readonly #options: PhoneLineOptions
  readonly #handlers = new Handlers<LineEvents>('a line', lineEvents)
  readonly #registration = new Registration()
  readonly #routes = new Map<string, Route>()
  #send: ((call: string, agent: string) => void) | undefined

  constructor(options: PhoneLineOptions) {
    if (typeof options?.number !== 'string' || options.number.trim() === '')
      throw new SwitchroomError(
        'NO_NUMBER',
        "a line needs a number: new PhoneLine({ number: '+34911111111' })",
      )
    this.number = options.number
    this.#options = options
  }

  /** Resolves when the gateway has registered the line; pending again while the connection is lost. */
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
    if (!this.#send) throw new Error(`the line ${this.number} is not connected: call hold() with it first`)
    const name = typeof agent === 'string' ? agent : agent.name
    const asked = this.#routes.get(call.id) ?? deferred<RouteOutcome>()
    this.#routes.set(call.id, { ...asked, agent: name })
    if (this.state === 'ready') this.#send(call.id, name)
    return asked.promise
  }

  /** For the connection: the frame that registers the line. */
  frame(): RegisterLine {
    const { number, extensionMs } = this.#options
    return {
      type: 'line.register',
      number,
      ...(extensionMs !== undefined && { extensionMs }),
      acknowledges: true,
    }
  }

  /** For the connection: sets how a route is sent. */
  routesBy(send: (call: string, agent: string) => void): void {
    this.#send = send
  }

  /** For the connection. */
  awaitsGateway(): void {
    this.#registration.await()
  }

  /** For the connection. */
  accepted(): void {
    this.#registration.accept()
    for (const [call, { agent }] of this.#routes) this.#send?.(call, agent) // the answer may have been lost
    void this.#handlers.run('ready', [])
  }

  /** For the connection. */
  refused(error: SwitchroomError): void {
    this.#registration.refuse(error)
    this.tell(error)
  }

  /** For the connection: the gateway refused to route the call. */
  routeRefused(call: string): void {
    this.#settle(call, { routed: false, reason: 'refused' })
  }

  /** For the connection: reports an error about this line. */
  tell(error: SwitchroomError): void {
    this.#handlers.tell(error)
  }

  /** For the connection: runs the handlers of an event and returns their results. */
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

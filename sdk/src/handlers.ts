import { failureOf, SwitchroomError, warnOf } from './errors.ts'
import type { HandlerAnswer } from './events.ts'
import { nearestName } from '@switchroom/contract/near-names'

// oxlint-disable-next-line typescript/no-explicit-any -- what a handler takes is known where it is added
type AnyHandler = (...args: any[]) => unknown

type ArgumentsOf<Events, Name extends keyof Events> = Events[Name] extends unknown[] ? Events[Name] : never

export type Handler<Events, Name extends keyof Events> = (
  ...args: ArgumentsOf<Events, Name>
) => HandlerAnswer<Name>

/** The handlers by event. A handler that throws is reported as an error and does not stop the others. */
export class Handlers<Events> {
  readonly #handlers = new Map<keyof Events, Set<AnyHandler>>()
  readonly #whose: string
  readonly #names: Readonly<Record<keyof Events, true>>

  /** `whose` events these are, such as `an agent`. */
  constructor(whose: string, names: Readonly<Record<keyof Events, true>>) {
    this.#whose = whose
    this.#names = names
  }

  /** Throws for an event that never comes: a handler of it would wait in silence. */
  add<Name extends keyof Events>(name: Name, handler: Handler<Events, Name>): void {
    this.#refuseUnknown(String(name))
    if (typeof handler !== 'function')
      throw new SwitchroomError('BAD_HANDLER', `the handler of \`${String(name)}\` is no function`)
    const known = this.#handlers.get(name)
    if (known) known.add(handler)
    else this.#handlers.set(name, new Set<AnyHandler>([handler]))
  }

  remove<Name extends keyof Events>(name: Name, handler: Handler<Events, Name>): void {
    this.#refuseUnknown(String(name))
    this.#handlers.get(name)?.delete(handler)
  }

  #refuseUnknown(name: string): void {
    if (Object.hasOwn(this.#names, name)) return
    const names = Object.keys(this.#names)
    const meant = nearestName(name, names)
    const advice = meant === undefined ? `it has ${names.join(', ')}` : `did you mean \`${meant}\`?`
    throw new SwitchroomError('UNKNOWN_EVENT', `${this.#whose} has no event \`${name}\`: ${advice}`)
  }

  has(name: keyof Events): boolean {
    return (this.#handlers.get(name)?.size ?? 0) > 0
  }

  /** Runs all handlers at once and returns their results when all are done. */
  async run(name: keyof Events, args: readonly unknown[]): Promise<unknown[]> {
    const handlers = [...(this.#handlers.get(name) ?? [])]
    const answers = await Promise.all(handlers.map((handler) => this.#try(String(name), handler, args)))
    return answers.filter((answer) => answer !== undefined)
  }

  /** Without an `error` handler, Node prints a warning. */
  tell(error: SwitchroomError): void {
    const listeners = [...(this.#handlers.get('error' as keyof Events) ?? [])]
    if (listeners.length === 0) warnOf(error)
    for (const listener of listeners) void this.#try('error', listener, [error])
  }

  async #try(name: string, handler: AnyHandler, args: readonly unknown[]): Promise<unknown> {
    try {
      return await handler(...args)
    } catch (cause) {
      const failure = failureOf(`a handler of ${name}`, cause)
      if (name === 'error') warnOf(failure)
      else this.tell(failure)
      return undefined
    }
  }
}

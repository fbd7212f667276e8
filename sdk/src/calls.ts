import type { EventFrame } from '@switchroom/contract/call-frames'
import { Call, type CallDoor } from './call.ts'

/** A call whose end never arrives, because another app has it now, is dropped after this many newer calls. */
export const mostKnown = 10_000

/** The calls that this process drives, as far as it knows them. */
export class Calls {
  readonly #door: CallDoor
  /** Least recently used first. */
  readonly #known = new Map<string, Call>()

  constructor(door: CallDoor) {
    this.#door = door
  }

  /** The call of a frame, updated by the frame; undefined if the frame names none. */
  of({ agent, call: id, data }: EventFrame): Call | undefined {
    if (!id) return undefined
    const call = this.#known.get(id) ?? new Call(id, agent, this.#door)
    const fields = data['call']
    if (typeof fields === 'object' && fields !== null) call.learn(fields)
    this.#known.delete(id)
    this.#known.set(id, call)
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= mostKnown) break
      this.#known.delete(oldest)
    }
    return call
  }

  known(id: string): Call | undefined {
    return this.#known.get(id)
  }

  agentOf(id: string): string | undefined {
    return this.#known.get(id)?.agent
  }

  forget(id: string): void {
    this.#known.delete(id)
  }
}

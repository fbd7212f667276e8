import type { AckEvents } from '@switchroom/contract/call-frames'

const sendAfterMs = 100
/** The gateway's limit for one frame. */
const mostAtOnce = 1000
const mostKnown = 10_000

interface Received {
  seq: number
  /** The events of this entry that came: one entry may have two. */
  types: Set<string>
  /** The last entry of which every event came. */
  whole: number
}

/** What this process has received of each call: it tells the gateway, and recognises what the gateway sends again. */
export class Acknowledgements {
  readonly #send: (frame: AckEvents) => void
  /** By call, the one that was silent longest first; also of calls that ended. */
  readonly #received = new Map<string, Received>()
  readonly #unsent = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  constructor(send: (frame: AckEvents) => void) {
    this.#send = send
  }

  /** Whether the event came before. Either way it is acknowledged soon: the gateway may not know that it came. */
  isRepeated(call: string, seq: number, type: string, hasMore = false): boolean {
    const before = this.#received.get(call)
    this.#unsent.add(call)
    this.#timer ??= setTimeout(() => this.flush(), sendAfterMs).unref()
    if (before && (seq < before.seq || (seq === before.seq && before.types.has(type)))) return true
    const received =
      before?.seq === seq ? before : { seq, types: new Set<string>(), whole: before?.whole ?? 0 }
    received.types.add(type)
    if (!hasMore) received.whole = seq
    this.#received.delete(call)
    this.#received.set(call, received)
    for (const oldest of this.#received.keys()) {
      if (this.#received.size <= mostKnown) break
      this.#received.delete(oldest)
    }
    return false
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const calls = [...this.#unsent].flatMap((call) => {
      const seq = this.#received.get(call)?.whole ?? 0
      return seq === 0 ? [] : [{ call, seq }]
    })
    this.#unsent.clear()
    for (let from = 0; from < calls.length; from += mostAtOnce)
      this.#send({ type: 'events.ack', calls: calls.slice(from, from + mostAtOnce) })
  }
}

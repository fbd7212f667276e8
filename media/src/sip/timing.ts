/** The timers of RFC 3261, from which all others follow. */
export interface Timing {
  /** How long a message and its answer take. */
  t1Ms: number
  /** The longest between two sendings. */
  t2Ms: number
  /** How long a message may stay on its way. */
  t4Ms: number
  /** How often the far end of a call in progress is asked whether it is there. */
  pingEveryMs: number
  /** How long a call may be asked for before it counts as unanswered, and how long a transfer may take. */
  ringMs: number
  /** How long a connection may take to say its first word, and to end a message it has begun. */
  messageWithinMs: number
  /** How often a connection that we opened is checked while nothing is said (RFC 5626). */
  keepAliveMs: number
}

export const usualTiming: Timing = {
  t1Ms: 500,
  t2Ms: 4_000,
  t4Ms: 5_000,
  pingEveryMs: 30_000,
  ringMs: 90_000,
  messageWithinMs: 10_000,
  keepAliveMs: 95_000,
}

/** After this no response comes any more. */
export const giveUpMs = ({ t1Ms }: Timing) => 64 * t1Ms

/** After this the next address is tried, if there is one and nothing was heard at all. */
export const moveOnMs = ({ t1Ms }: Timing) => 6 * t1Ms

/** Does something again and again, each time after twice as long, until it is stopped. */
export class Repeating {
  #timer: NodeJS.Timeout

  constructor(firstMs: number, mostMs: number, work: () => void) {
    const next = (afterMs: number): NodeJS.Timeout =>
      setTimeout(() => {
        this.#timer = next(Math.min(afterMs * 2, mostMs))
        work()
      }, afterMs)
    this.#timer = next(firstMs)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}

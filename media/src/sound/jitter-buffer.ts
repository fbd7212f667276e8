/** What is missing for longer was never said: the other end sends nothing while it hears nothing. */
const jumpMs = 400
const mostLate = 5
/** Packets that came and were not asked for, beyond which the oldest are dropped. */
const mostPackets = 100

export interface Packet {
  /** Of the packet's clock, with its rounds counted. */
  timestamp: number
  payload: Uint8Array
  /** Comfort noise (RFC 3389): what follows it is silence. */
  isComfort?: boolean
}

/** Puts packets into the order of their timestamps; the reader says how long each was. */
export class JitterBuffer {
  readonly #jump: number
  readonly #packets: Packet[] = []
  /** The timestamp that is to be taken next. */
  #next: number | undefined
  #newest: number | undefined
  #late = 0
  /** Whether what is missing before the next packet was never sent. */
  #isPaused = false

  constructor(clockRate: number) {
    this.#jump = (jumpMs * clockRate) / 1000
  }

  get waiting(): number {
    return this.#packets.length
  }

  /** How much lies between what was taken last and the newest packet, in ticks of the clock. */
  get depth(): number {
    if (this.#next === undefined || this.#newest === undefined || this.#packets.length === 0) return 0
    return this.#newest - this.#next
  }

  put(timestamp32: number, payload: Uint8Array, isComfort = false): void {
    const timestamp = this.#extended(timestamp32)
    if (this.#next !== undefined && timestamp < this.#next) {
      this.#late += 1
      if (this.#late <= mostLate) return
      this.reset() // so many in a row are not late: the other end counts anew
    }
    this.#late = 0
    let at = this.#packets.length
    while (at > 0 && (this.#packets[at - 1]?.timestamp ?? 0) > timestamp) at -= 1
    if (this.#packets[at - 1]?.timestamp === timestamp) return
    this.#packets.splice(at, 0, { timestamp, payload, isComfort })
    this.#newest = Math.max(this.#newest ?? timestamp, timestamp)
    if (this.#packets.length > mostPackets) this.#packets.shift()
  }

  /** Another source begins: nothing of the one before it counts. */
  reset(): void {
    this.#packets.length = 0
    this.#next = undefined
    this.#newest = undefined
    this.#isPaused = false
  }

  /** The other end is silent, and sends nothing until it no longer is. */
  pause(): void {
    this.#isPaused = true
  }

  /** The next packet; how many ticks are missing before it, and what comes behind them; or nothing, when none has come. */
  take(): Packet | { missing: number; next: Packet } | undefined {
    const first = this.#packets[0]
    if (!first) return undefined
    this.#next ??= first.timestamp
    const missing = first.timestamp - this.#next
    if (missing > this.#jump || this.#isPaused) this.#next = first.timestamp
    else if (missing > 0) return { missing, next: first }
    this.#isPaused = false
    this.#packets.shift()
    return first
  }

  /** So many ticks were taken, or given up. */
  advance(ticks: number): void {
    if (this.#next !== undefined) this.#next += ticks
  }

  #extended(timestamp32: number): number {
    if (this.#newest === undefined) return timestamp32
    // The difference as a signed number of 32 bits, so that a wrap is a small step.
    return this.#newest + ((timestamp32 - this.#newest) | 0)
  }
}

/** A step further than these is no loss and no late packet: the source counts anew (RFC 3550 A.1). */
const mostDropped = 3000
const mostMisordered = 100
const round = 2 ** 16

export interface ArrivedPacket {
  ssrc: number
  sequence: number
  timestamp: number
}

export interface Received {
  expected: number
  /** Never negative, even if packets came twice. */
  lost: number
}

/** How the packets of the other end arrive: what is lost and how unevenly they come (RFC 3550 A.1, A.3, A.8). */
export class Reception {
  #ticksPerMs: number
  #ssrc: number | undefined
  #first = 0
  /** With its rounds counted. */
  #highest = 0
  #received = 0
  /** The one after which a jump is believed. */
  #expectedAfterJump: number | undefined
  /** Of sources before this one. */
  #before: Received = { expected: 0, lost: 0 }
  /** What was told in the last report. */
  #reported = { expected: 0, received: 0 }
  #transit: number | undefined
  #jitterMs = 0

  constructor(clockRate: number) {
    this.#ticksPerMs = clockRate / 1000
  }

  /** The source that is heard now. */
  get ssrc(): number | undefined {
    return this.#ssrc
  }

  /** Of all sources so far. */
  get totals(): Received {
    const { expected, lost } = this.#current
    return { expected: this.#before.expected + expected, lost: this.#before.lost + lost }
  }

  get jitterMs(): number {
    return this.#jitterMs
  }

  /** Another codec may count otherwise. */
  set clockRate(clockRate: number) {
    if (clockRate / 1000 === this.#ticksPerMs) return
    this.#ticksPerMs = clockRate / 1000
    this.#transit = undefined
  }

  /** A packet came; `isTimed` if its timestamp says when it was sent, as that of a pressed key does not. */
  put({ ssrc, sequence, timestamp }: ArrivedPacket, nowMs: number, isTimed: boolean): void {
    if (ssrc !== this.#ssrc) this.#begin(ssrc, sequence)
    else if (!this.#count(sequence)) return
    this.#received += 1
    if (isTimed) this.#time(timestamp, nowMs)
  }

  /** What a report says of the source; undefined if none is heard. */
  report():
    | { ssrc: number; fractionLost: number; lost: number; highest: number; jitter: number }
    | undefined {
    if (this.#ssrc === undefined) return undefined
    const expected = this.#highest - this.#first + 1
    const expectedNow = expected - this.#reported.expected
    const lostNow = expectedNow - (this.#received - this.#reported.received)
    this.#reported = { expected, received: this.#received }
    return {
      ssrc: this.#ssrc,
      fractionLost: expectedNow > 0 ? Math.max(0, lostNow / expectedNow) : 0,
      lost: expected - this.#received,
      highest: this.#highest,
      jitter: Math.round(this.#jitterMs * this.#ticksPerMs),
    }
  }

  get #current(): Received {
    const expected = this.#ssrc === undefined ? 0 : this.#highest - this.#first + 1
    return { expected, lost: Math.max(0, expected - this.#received) }
  }

  #begin(ssrc: number, sequence: number): void {
    this.#before = this.totals
    this.#ssrc = ssrc
    this.#first = sequence
    this.#highest = sequence
    this.#received = 0
    this.#expectedAfterJump = undefined
    this.#reported = { expected: 0, received: 0 }
    this.#transit = undefined
  }

  /** False for one that jumps, until the next one follows it. */
  #count(sequence: number): boolean {
    const step = (sequence - this.#highest) & (round - 1)
    if (step < mostDropped) {
      this.#highest += step
      return true
    }
    if (step > round - mostMisordered) return true // late, or twice
    if (sequence === this.#expectedAfterJump) {
      this.#begin(this.#ssrc ?? 0, sequence)
      return true
    }
    this.#expectedAfterJump = (sequence + 1) & (round - 1)
    return false
  }

  #time(timestamp: number, nowMs: number): void {
    const transit = (Math.round(nowMs * this.#ticksPerMs) - timestamp) | 0
    if (this.#transit !== undefined) {
      const changeMs = Math.abs((transit - this.#transit) | 0) / this.#ticksPerMs
      // a clock that begins anew is no jitter
      if (changeMs < 10_000) this.#jitterMs += (changeMs - this.#jitterMs) / 16
    }
    this.#transit = transit
  }
}

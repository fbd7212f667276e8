import { randomBytes } from 'node:crypto'
import type { Reception } from './reception.ts'
import { middleOf, readRtcp, type ReportBlock, type SenderInfo, writeRtcp } from './rtcp-packet.ts'

const everyMs = 5000
const secondMs = 1000
/** From 1900, which RTCP counts from, to 1970. */
const epochS = 2_208_988_800
/** Reports of ours that an answer may name. */
const mostReports = 8
/** A far end has one report in some seconds to send: more than this in one is a flood. */
const mostInSecond = 20
/** Longer than this no answer is under way. */
const longestRoundTripMs = 30_000

/** What we have sent so far. */
export interface Sent {
  packets: number
  octets: number
  /** Of the sound that is due now. */
  timestamp: number
}

/** How the other end hears us, by its own reports. */
export interface HeardThere {
  /** That we had sent when it reported. */
  expected: number
  lost: number
  jitterMs: number
}

export interface RtcpSessionParts {
  ssrc: () => number
  clockRate: () => number
  reception: Reception
  sent: () => Sent
  send: (bytes: Buffer) => void
  /** Epoch milliseconds that never step back. */
  nowMs: () => number
}

/** Sends and reads the reports of one stream each way (RFC 3550 6). */
export class RtcpSession {
  readonly #parts: RtcpSessionParts
  /** A name that says nothing of us (RFC 7022). */
  readonly #cname = randomBytes(12).toString('base64')
  /** When ours were sent, by the middle of their time. */
  readonly #sentAt = new Map<number, number>()
  #dueAt: number
  #packetsTold = 0
  #theirReport: { middle: number; atMs: number } | undefined
  #roundTripMs: number | null = null
  #heardThere: HeardThere | null = null
  #read = { second: 0, count: 0 }

  constructor(parts: RtcpSessionParts) {
    this.#parts = parts
    this.#dueAt = parts.nowMs() + spread(everyMs / 2)
  }

  get roundTripMs(): number | null {
    return this.#roundTripMs
  }

  get heardThere(): HeardThere | null {
    return this.#heardThere
  }

  /** Sends a report if one is due. */
  tick(): void {
    const now = this.#parts.nowMs()
    if (now < this.#dueAt) return
    this.#dueAt = now + spread(everyMs)
    this.#report(now, false)
  }

  /** The last report, with a goodbye; none if nothing was ever sent. */
  leave(): void {
    if (this.#parts.sent().packets > 0) this.#report(this.#parts.nowMs(), true)
  }

  /** False for what is no report, or comes in a flood. */
  receive(bytes: Buffer): boolean {
    const now = this.#parts.nowMs()
    const second = Math.floor(now / secondMs)
    if (second !== this.#read.second) this.#read = { second, count: 0 }
    this.#read.count += 1
    const reports = this.#read.count > mostInSecond ? undefined : readRtcp(bytes)
    if (!reports) return false
    for (const { ssrc, sender, blocks } of reports) {
      const { reception } = this.#parts
      const isHeard = reception.ssrc === undefined || reception.ssrc === ssrc
      if (sender && isHeard) this.#theirReport = { middle: middleOf(sender.ntp), atMs: now }
      for (const block of blocks) if (block.ssrc === this.#parts.ssrc()) this.#take(block, now)
    }
    return true
  }

  #take({ lost, jitter, lastReport, delay }: ReportBlock, now: number): void {
    const expected = this.#parts.sent().packets
    this.#heardThere = {
      expected,
      lost: Math.min(expected, Math.max(0, lost)),
      jitterMs: jitter / (this.#parts.clockRate() / secondMs),
    }
    // only a report that we sent is believed to be answered
    const sentAt = this.#sentAt.get(lastReport)
    if (sentAt === undefined) return
    const roundTripMs = now - sentAt - (delay * secondMs) / 65_536
    if (roundTripMs > -1 && roundTripMs < longestRoundTripMs) this.#roundTripMs = Math.max(0, roundTripMs)
  }

  #report(now: number, isLast: boolean): void {
    const { ssrc, sent, send } = this.#parts
    const { packets, octets, timestamp } = sent()
    // what is sent by an end that has sent nothing since its last report is a receiver's
    const sender: SenderInfo | null =
      packets === this.#packetsTold ? null : { ntp: ntpOf(now), timestamp, packets, octets }
    this.#packetsTold = packets
    if (sender) this.#remember(middleOf(sender.ntp), now)
    const block = this.#block(now)
    send(writeRtcp({ ssrc: ssrc(), sender, blocks: block ? [block] : [] }, this.#cname, isLast))
  }

  #remember(middle: number, now: number): void {
    this.#sentAt.set(middle, now)
    const [oldest] = this.#sentAt.keys()
    if (this.#sentAt.size > mostReports && oldest !== undefined) this.#sentAt.delete(oldest)
  }

  #block(now: number): ReportBlock | undefined {
    const heard = this.#parts.reception.report()
    if (!heard) return undefined
    const { middle = 0, atMs = now } = this.#theirReport ?? {}
    return { ...heard, lastReport: middle, delay: Math.round(((now - atMs) * 65_536) / secondMs) }
  }
}

/** At random, so that the two ends never report in step. */
const spread = (ms: number) => ms * (0.5 + Math.random())

function ntpOf(epochMs: number): SenderInfo['ntp'] {
  const seconds = Math.floor(epochMs / secondMs)
  const fraction = Math.floor(((epochMs % secondMs) / secondMs) * 2 ** 32)
  return [(seconds + epochS) >>> 0, fraction]
}

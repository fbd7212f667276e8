import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Reception } from './reception.ts'
import { readRtcp, writeRtcp } from './rtcp-packet.ts'
import { RtcpSession } from './rtcp-session.ts'

/** Two ends whose reports take so long from one to the other, on a clock that the test moves. */
class Wire {
  nowMs = 1_800_000_000_000
  readonly #late: { atMs: number; arrive: () => void }[] = []
  readonly ends: [End, End]

  readonly #delayMs: number

  constructor(delayMs: number) {
    this.#delayMs = delayMs
    this.ends = [new End(this, 11, 22), new End(this, 22, 11)]
  }

  carry(from: End, bytes: Buffer): void {
    const to = this.ends.find((end) => end !== from)
    this.#late.push({ atMs: this.nowMs + this.#delayMs, arrive: () => void to?.session.receive(bytes) })
  }

  pass(ms: number): void {
    for (const untilMs = this.nowMs + ms; this.nowMs < untilMs;) {
      this.nowMs += 20
      for (const end of this.ends) end.tick()
      for (const one of this.#late.splice(0))
        if (one.atMs <= this.nowMs) one.arrive()
        else this.#late.push(one)
    }
  }
}

class End {
  readonly reception = new Reception(8000)
  readonly session: RtcpSession
  readonly reports: Buffer[] = []
  readonly reportedAt: number[] = []
  packets = 0
  /** Every so many packets of the other end are lost here. */
  losesEvery = Infinity
  isSending = true

  readonly #wire: Wire
  readonly #theirs: number

  constructor(wire: Wire, ssrc: number, theirs: number) {
    this.#wire = wire
    this.#theirs = theirs
    this.session = new RtcpSession({
      ssrc: () => ssrc,
      clockRate: () => 8000,
      reception: this.reception,
      sent: () => ({ packets: this.packets, octets: this.packets * 160, timestamp: this.packets * 160 }),
      send: (bytes) => {
        this.reports.push(bytes)
        this.reportedAt.push(wire.nowMs)
        wire.carry(this, bytes)
      },
      nowMs: () => wire.nowMs,
    })
  }

  tick(): void {
    if (this.isSending) this.packets += 1
    const sequence = this.packets & 0xffff
    if (this.packets % this.losesEvery !== 0)
      this.reception.put({ ssrc: this.#theirs, sequence, timestamp: sequence * 160 }, this.#wire.nowMs, true)
    this.session.tick()
  }
}

test('two ends learn the round trip, and how each is heard by the other', () => {
  const wire = new Wire(80)
  const [here, there] = wire.ends
  there.losesEvery = 10
  wire.pass(60_000)
  assert.ok(Math.abs((here.session.roundTripMs ?? 0) - 160) <= 41, String(here.session.roundTripMs))
  const { expected = 0, lost = 0 } = here.session.heardThere ?? {}
  assert.ok(expected > 2000 && Math.abs(lost / expected - 0.1) < 0.01, `${lost} of ${expected}`)
  assert.equal(there.session.heardThere?.lost, 0)
})

test('reports are sent about every 5 seconds, at random, and say that an end which sends nothing only receives', () => {
  const wire = new Wire(20)
  const [here] = wire.ends
  wire.pass(60_000)
  const pauses = here.reportedAt.slice(1).map((at, place) => at - (here.reportedAt[place] ?? 0))
  assert.ok(
    pauses.every((ms) => ms >= 2500 && ms <= 7520),
    pauses.join(),
  )
  assert.ok(new Set(pauses).size > 1)
  assert.ok(here.reports.every((bytes) => readRtcp(bytes)?.[0]?.sender))
  here.isSending = false
  wire.pass(30_000)
  assert.equal(readRtcp(here.reports.at(-1) ?? Buffer.alloc(0))?.[0]?.sender, null)
})

test('a round trip is only believed for a report that was sent, and a block only if it is about us', () => {
  const wire = new Wire(20)
  const [here] = wire.ends
  wire.pass(20_000)
  const { roundTripMs, heardThere } = here.session
  const block = { ssrc: 11, fractionLost: 1, lost: 900, highest: 1, jitter: 9, lastReport: 12_345, delay: 0 }
  const says = (blocks: (typeof block)[]) => writeRtcp({ ssrc: 22, sender: null, blocks }, 'x', false)
  assert.ok(here.session.receive(says([{ ...block, ssrc: 12 }])))
  assert.deepEqual(here.session.heardThere, heardThere)
  assert.ok(here.session.receive(says([{ ...block, lost: 8_000_000 }])))
  assert.equal(here.session.roundTripMs, roundTripMs)
  assert.equal(here.session.heardThere?.lost, here.packets) // never more than was sent
})

test('of a flood of reports only the first of a second are read', () => {
  const wire = new Wire(20)
  const [here] = wire.ends
  const bytes = writeRtcp({ ssrc: 22, sender: null, blocks: [] }, 'x', false)
  const read = Array.from({ length: 1000 }, () => here.session.receive(bytes)).filter(Boolean)
  assert.equal(read.length, 20)
  wire.nowMs += 1000
  assert.equal(here.session.receive(bytes), true)
  assert.equal(here.session.receive(Buffer.from('rubbish!')), false)
})

test('the last report says goodbye, and an end that sent nothing says none', () => {
  const wire = new Wire(20)
  const [here, there] = wire.ends
  there.session.leave()
  assert.equal(there.reports.length, 0)
  wire.pass(1000)
  here.session.leave()
  const last = here.reports.at(-1) ?? Buffer.alloc(0)
  assert.equal(last.subarray(-8).toString('hex'), '81cb00010000000b')
})

import { setTimeout as sleep } from 'node:timers/promises'
import { newCoding } from '@switchroom/media/rtp/coders'
import { readRtp } from '@switchroom/media/rtp/rtp-packet'
import { placeCall } from './timed-phone.ts'

const frameMs = 20
const frameSamples = 160
const clockPerMs = 8
const loud = 500
/** A pause of the agent, not a packet that came late. */
const leastGapMs = 100
/** Packets that may come at once on a busy machine, without the echo getting another delay. */
const mostInBurst = 50

/** A phone that can speak over the agent and knows to the packet when it did, and when the agent fell silent. */
export class TalkingPhone {
  readonly #call: Awaited<ReturnType<typeof placeCall>>
  readonly #saying: { frame: Int16Array; sent?: (atMs: number) => void }[] = []
  readonly #decode = newCoding('PCMU').decode
  readonly #line: Int16Array[] = []
  #isOver = false
  #lastLoudTimestamp: number | undefined
  /** When the last sound of the agent that can be heard was over. */
  lastLoudMs = 0
  /** How long the agent was silent between two sounds, since it was last asked. */
  gapsMs: number[] = []
  /** How loud and how many frames later the line gives back what the agent says. */
  echo: { gain: number; frames: number } | null = null

  private constructor(call: Awaited<ReturnType<typeof placeCall>>) {
    this.#call = call
    call.phone.onBytes((bytes) => this.#hear(bytes))
    void this.#talk()
  }

  static async call(sipPort: number, agent: string, name: string): Promise<TalkingPhone> {
    return new TalkingPhone(await placeCall(sipPort, agent, name))
  }

  /** Resolves with when its first frame was sent. */
  say(samples: Int16Array): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>()
    for (let at = 0; at < samples.length; at += frameSamples) {
      const frame = new Int16Array(frameSamples)
      frame.set(samples.subarray(at, at + frameSamples))
      this.#saying.push(at === 0 ? { frame, sent: resolve } : { frame })
    }
    return promise
  }

  get isSilent(): boolean {
    return this.#saying.length === 0
  }

  async hangUp(): Promise<void> {
    this.#isOver = true
    await this.#call.hangUp()
  }

  async #talk() {
    for (let dueMs = performance.now(); !this.#isOver; dueMs += frameMs) {
      await sleep(Math.max(0, dueMs - performance.now()))
      if (this.#isOver) return
      const { frame, sent } = this.#saying.shift() ?? { frame: new Int16Array(frameSamples) }
      this.#call.phone.say(this.#withEcho(frame))
      sent?.(performance.now())
    }
  }

  #withEcho(said: Int16Array): Int16Array {
    const { gain = 0, frames = 0 } = this.echo ?? {}
    const back = this.#line.length > frames ? this.#line.shift() : undefined
    if (this.#line.length > frames + mostInBurst) this.#line.length = 0
    return back && gain > 0 ? said.map((sample, n) => sample + (back[n] ?? 0) * gain) : said
  }

  #hear(bytes: Buffer) {
    this.#call.phone.received.length = 0 // a long call would fill it
    const packet = readRtp(bytes)
    const samples = packet && this.#decode(packet.payload)
    if (!packet || !samples) return
    this.#line.push(samples)
    if (!samples.some((sample) => Math.abs(sample) > loud)) return
    const sinceMs = (packet.timestamp - (this.#lastLoudTimestamp ?? packet.timestamp)) / clockPerMs
    if (sinceMs - frameMs >= leastGapMs) this.gapsMs.push(sinceMs - frameMs)
    this.#lastLoudTimestamp = packet.timestamp
    this.lastLoudMs = performance.now() + frameMs
  }
}

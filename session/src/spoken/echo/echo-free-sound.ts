import type { Sound } from '@switchroom/contract/sound'
import { EchoCanceller } from './echo-canceller.ts'
import { EchoDetector } from './echo-detector.ts'
import { PlayedSound } from './played-sound.ts'

/** So long after the last sound was played nothing of it comes back. */
const tailMs = 1_500
/** A canceller that begins late first gets what was heard before, so that it knows the echo. */
const primedMs = 1_000
/** The canceller finds an echo up to this late by itself; for later ones the reference is delayed. */
const longestDelayMs = 400
const leadMs = 150
const keptMs = primedMs + 600

interface Moment {
  played: Int16Array | null
  heard: Int16Array
}

/** A party without the echo of what it is played. Everything else is the leg's. */
export class EchoFreeSound implements Sound {
  readonly sampleRate: number
  readonly #leg: Sound
  readonly #played: PlayedSound
  readonly #detector: EchoDetector
  #canceller: EchoCanceller | null = null
  #history: Moment[] = []
  #silentMs = tailMs
  #frameMs = 20
  /** By how much the reference is delayed. */
  #delayFrames = 0
  #isBroken = false

  constructor(leg: Sound) {
    this.#leg = leg
    this.sampleRate = leg.sampleRate
    this.#played = new PlayedSound(leg.sampleRate, () => leg.playedMs)
    this.#detector = new EchoDetector(leg.sampleRate)
  }

  get playedMs(): number {
    return this.#leg.playedMs
  }

  async *heard(): AsyncIterable<Int16Array> {
    try {
      for await (const frame of this.#leg.heard()) yield this.#clean(frame)
    } finally {
      this.#stop()
    }
  }

  play(samples: Int16Array): Promise<void> {
    this.#played.gave(samples)
    return this.#leg.play(samples)
  }

  clear() {
    this.#leg.clear()
    this.#played.cleared()
  }

  drained = () => this.#leg.drained()
  onTone = (listener: (digit: string) => void) => this.#leg.onTone(listener)
  sendTones = (digits: string) => this.#leg.sendTones(digits)

  #clean(heard: Int16Array): Int16Array {
    const played = this.#played.next(heard.length)
    this.#frameMs = (heard.length / this.sampleRate) * 1_000
    this.#silentMs = played ? 0 : this.#silentMs + this.#frameMs
    if (this.#silentMs >= tailMs || this.#isBroken || heard.length % (this.sampleRate / 100) !== 0) {
      this.#history = []
      return heard
    }
    const before = this.#detector.echo
    this.#detector.add(played, heard)
    this.#remember({ played, heard })
    if (this.#detector.echo === 'none') {
      this.#stop()
      return heard
    }
    try {
      const cancelled = this.#cancelled(before !== this.#detector.echo)
      return this.#detector.echo === 'unknown' && this.#detector.isOther ? heard : cancelled
    } catch (error) {
      this.#isBroken = true
      process.emitWarning(`no echo canceller: ${error instanceof Error ? error.message : String(error)}`)
      return heard
    }
  }

  #cancelled(isFound: boolean): Int16Array {
    const { delayMs } = this.#detector
    if (isFound && delayMs > longestDelayMs) {
      this.#delayFrames = Math.floor((delayMs - leadMs) / this.#frameMs)
      this.#stop()
    }
    const now = this.#history.length - 1
    if (this.#canceller) return this.#process(this.#canceller, now)
    this.#canceller = new EchoCanceller(this.sampleRate)
    const primed = Math.max(0, now - Math.floor(primedMs / this.#frameMs))
    for (let at = primed; at < now; at += 1) this.#process(this.#canceller, at)
    return this.#process(this.#canceller, now)
  }

  #process(canceller: EchoCanceller, at: number): Int16Array {
    const played = this.#history[at - this.#delayFrames]?.played ?? null
    return canceller.process(played, this.#history[at]?.heard ?? new Int16Array(0))
  }

  #remember(moment: Moment) {
    this.#history.push(moment)
    if (this.#history.length * this.#frameMs > keptMs) this.#history.shift()
  }

  #stop() {
    this.#canceller?.close()
    this.#canceller = null
  }
}

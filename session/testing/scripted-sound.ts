import type { Sound } from '@switchroom/contract/sound'
import { recording } from '@switchroom/kit/testing/recordings'

const frameMs = 20
/** With more than this queued, `play` waits. */
const mostWaitingMs = 200

export const sampleRate = 16_000
const frameSamples = (sampleRate * frameMs) / 1_000

/** A person who really speaks, for so long. */
export function speech(ms: number): Int16Array {
  const wav = recording('fox.wav')
  const begin = wav.byteOffset + 44 + 2 * samplesIn(100)
  const samples = new Int16Array(wav.buffer.slice(begin, begin + 2 * samplesIn(ms)))
  return samples
}

export const samplesIn = (ms: number) => Math.round((sampleRate * ms) / 1_000)

/** A party that says what a test has it say, in real time, and remembers what it was played. */
export class ScriptedSound implements Sound {
  readonly sampleRate = sampleRate
  readonly played: Int16Array[] = []
  readonly sentTones: string[] = []
  playedMs = 0
  /** How loud and how many frames later the party's line gives back what it is played. */
  echo: { gain: number; frames: number } | null = null
  #says: Int16Array[] = []
  #waiting: Int16Array[] = []
  #line: (Int16Array | null)[] = []
  #taken: (() => void)[] = []
  #drained: (() => void)[] = []
  #hasLeft = false
  #tone: (digit: string) => void = () => {}
  #hold: (isHeld: boolean) => void = () => {}

  says(samples: Int16Array) {
    for (let at = 0; at < samples.length; at += frameSamples) {
      const frame = new Int16Array(frameSamples)
      frame.set(samples.subarray(at, at + frameSamples))
      this.#says.push(frame)
    }
  }

  leaves() {
    this.#hasLeft = true
  }

  holds(isHeld: boolean) {
    this.#hold(isHeld)
  }

  presses(digit: string) {
    this.#tone(digit)
  }

  async *heard(): AsyncIterable<Int16Array> {
    const startedMs = performance.now()
    for (let n = 1; !this.#hasLeft; n += 1) {
      const dueMs = startedMs + n * frameMs - performance.now()
      if (dueMs > 0) await new Promise((resolve) => void setTimeout(resolve, dueMs))
      this.#playFrame()
      yield this.#withEcho(this.#says.shift() ?? new Int16Array(frameSamples))
    }
  }

  #withEcho(said: Int16Array): Int16Array {
    const back = this.#line.length > (this.echo?.frames ?? 0) ? this.#line.shift() : null
    const { gain = 0 } = this.echo ?? {}
    return back ? said.map((sample, n) => sample + (back[n] ?? 0) * gain) : said
  }

  #playFrame() {
    const frame = this.#waiting.shift()
    this.#line.push(frame ?? null)
    if (frame) {
      this.playedMs += (frame.length / sampleRate) * 1_000
      this.played.push(frame)
    }
    this.#settle()
  }

  #settle() {
    if (this.#waiting.length * frameMs < mostWaitingMs) for (const resolve of this.#taken.splice(0)) resolve()
    if (this.#waiting.length === 0) for (const resolve of this.#drained.splice(0)) resolve()
  }

  play(samples: Int16Array): Promise<void> {
    for (let at = 0; at < samples.length; at += frameSamples)
      this.#waiting.push(samples.slice(at, at + frameSamples))
    return new Promise((resolve) => {
      this.#taken.push(resolve)
      if (this.#waiting.length * frameMs < mostWaitingMs) this.#settle()
    })
  }

  clear() {
    this.#waiting = []
    this.#settle()
  }

  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#drained.push(resolve)
      if (this.#waiting.length === 0) this.#settle()
    })
  }

  onHold(listener: (isHeld: boolean) => void) {
    this.#hold = listener
  }

  onTone(listener: (digit: string) => void) {
    this.#tone = listener
  }

  async sendTones(digits: string) {
    this.sentTones.push(digits)
  }
}

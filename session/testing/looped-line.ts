import type { Sound } from '@switchroom/contract/sound'
import { decodeG711, encodeG711 } from '@switchroom/audio/g711'
import native from '@livekit/local-inference'

const frameMs = 20

export interface Loop {
  /** How loud what is played comes back; -Infinity for no echo. */
  gainDb: number
  delayMs: number
}

/** A G.711 line that gives back what it is played, and on which a caller may speak; as fast as it is read. */
export class LoopedLine implements Sound {
  readonly sampleRate = 8_000
  playedMs = 0
  /** What the caller says and when. */
  caller: Int16Array
  loop: Loop
  #waiting: Int16Array
  readonly #line: number[] = []
  readonly #frames: number

  constructor(played: Int16Array, loop: Loop) {
    this.loop = loop
    this.#waiting = played
    this.caller = new Int16Array(played.length)
    this.#frames = Math.floor(played.length / this.#frameSamples)
  }

  get #frameSamples(): number {
    return (this.sampleRate * frameMs) / 1_000
  }

  async *heard(): AsyncIterable<Int16Array> {
    for (let n = 0; n < this.#frames; n += 1) {
      const samples = this.#frameSamples
      const played = this.#waiting.subarray(0, samples)
      this.#waiting = this.#waiting.subarray(samples)
      this.playedMs += (played.length / this.sampleRate) * 1_000
      for (let at = 0; at < samples; at += 1) this.#line.push(played[at] ?? 0)
      yield this.#heardAt(n * samples, samples)
    }
  }

  #heardAt(from: number, length: number): Int16Array {
    const gain = 10 ** (this.loop.gainDb / 20)
    const late = (this.loop.delayMs * this.sampleRate) / 1_000
    const mixed = Int16Array.from({ length }, (_, n) => {
      const sum = (this.#line[from + n - late] ?? 0) * gain + (this.caller[from + n] ?? 0)
      return Math.max(-32_768, Math.min(32_767, Math.round(sum)))
    })
    const coded = new Uint8Array(length)
    encodeG711('PCMU', mixed, coded)
    return decodeG711('PCMU', coded)
  }

  async play(): Promise<void> {}

  clear() {}

  async drained(): Promise<void> {}

  onTone() {}

  async sendTones(): Promise<void> {}
}

/** For how long the voice detection of a call hears a voice in these samples of 8 kHz, and from when on. */
export async function voiceIn(samples: Int16Array): Promise<{ voiceMs: number; fromMs: number | null }> {
  const vad = native.createVad()
  const length = native.VAD_WINDOW_SAMPLES
  let [voiceMs, fromMs]: [number, number | null] = [0, null]
  for (let at = 0; (at + length) / 2 <= samples.length; at += length) {
    const window = Int16Array.from({ length }, (_, n) => samples[(at + n) >> 1] ?? 0)
    if ((await vad.predict(window)) < 0.5) continue
    voiceMs += length / 16
    fromMs ??= at / 16
  }
  return { voiceMs, fromMs }
}

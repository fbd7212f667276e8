import type { Sound } from '@switchroom/contract/sound'

/** Puts side by side what the party said and what they were played, by the clock of what they said. */
export class Recorder {
  readonly #sound: Sound
  readonly #write: (samples: Int16Array, sampleRate: number) => void
  #played: Int16Array[] = []
  /** How much of what was played is written, in samples over the whole call. */
  #written: number

  constructor(sound: Sound, write: (samples: Int16Array, sampleRate: number) => void) {
    this.#sound = sound
    this.#write = write
    this.#written = this.#playedSamples
  }

  get #playedSamples(): number {
    return Math.round((this.#sound.playedMs / 1_000) * this.#sound.sampleRate)
  }

  /** Handed over to be played. */
  given(samples: Int16Array) {
    this.#played.push(samples)
  }

  /** What was handed over and not played was dropped. */
  cleared() {
    const left = this.#playedSamples - this.#written
    const kept = this.#take(left)
    this.#played = kept.length > 0 ? [kept] : []
    this.#written = this.#playedSamples - kept.length
  }

  heard(samples: Int16Array) {
    this.#putBeside(samples)
  }

  /** The call is over: what was played since the party was last heard is written beside silence. */
  close() {
    this.#putBeside(new Int16Array(Math.max(0, this.#playedSamples - this.#written)))
  }

  #putBeside(samples: Int16Array) {
    if (samples.length === 0) return
    const stereo = new Int16Array(samples.length * 2)
    const due = Math.max(0, Math.min(samples.length, this.#playedSamples - this.#written))
    const agent = this.#take(due)
    this.#written += due
    for (let at = 0; at < samples.length; at += 1) {
      stereo[at * 2] = samples[at] ?? 0
      stereo[at * 2 + 1] = agent[at] ?? 0
    }
    this.#write(stereo, this.#sound.sampleRate)
  }

  #take(most: number): Int16Array {
    const taken = new Int16Array(Math.max(0, most))
    let at = 0
    while (at < taken.length) {
      const first = this.#played[0]
      if (!first) break
      const part = first.subarray(0, taken.length - at)
      taken.set(part, at)
      at += part.length
      if (part.length === first.length) this.#played.shift()
      else this.#played[0] = first.subarray(part.length)
    }
    return taken.subarray(0, at)
  }
}

import type { Sound } from '@switchroom/contract/sound'

/** A party whose playback can be paused: what was not played yet is kept, and played when it is resumed. */
export class PausableSound implements Sound {
  readonly sampleRate: number
  readonly #leg: Sound
  /** Given and perhaps not played, from `#from` on, in samples over the whole call. */
  #pieces: Int16Array[] = []
  #from: number
  #paused: PromiseWithResolvers<void> | null = null

  constructor(leg: Sound) {
    this.#leg = leg
    this.sampleRate = leg.sampleRate
    this.#from = this.#played
  }

  get playedMs(): number {
    return this.#leg.playedMs
  }

  heard = () => this.#leg.heard()
  onTone = (listener: (digit: string) => void) => this.#leg.onTone(listener)
  sendTones = (digits: string) => this.#leg.sendTones(digits)

  play(samples: Int16Array): Promise<void> {
    this.#forgetPlayed()
    this.#pieces.push(samples.slice()) // the caller may reuse the memory
    return this.#paused ? this.#paused.promise : this.#leg.play(samples)
  }

  async drained(): Promise<void> {
    do {
      await this.#paused?.promise
      await this.#leg.drained()
    } while (this.#paused)
  }

  clear() {
    this.#leg.clear()
    this.#pieces = []
    this.#from = this.#played
    this.#paused?.resolve()
    this.#paused = null
  }

  pause() {
    if (this.#paused) return
    this.#paused = Promise.withResolvers()
    this.#leg.clear()
    this.#forgetPlayed()
  }

  resume() {
    if (!this.#paused) return
    const { resolve } = this.#paused
    this.#paused = null
    void Promise.all(this.#pieces.map((piece) => this.#leg.play(piece))).then(() => resolve())
  }

  get #played(): number {
    return Math.round((this.#leg.playedMs * this.sampleRate) / 1_000)
  }

  #forgetPlayed() {
    let gone = this.#played - this.#from
    this.#from = this.#played
    while (this.#pieces[0] && gone >= this.#pieces[0].length) gone -= this.#pieces.shift()?.length ?? 0
    if (this.#pieces[0] && gone > 0) this.#pieces[0] = this.#pieces[0].subarray(gone)
  }
}

/** A clip that is played over and over. */
export class LoopedClip {
  readonly #clip: Int16Array
  #at = 0

  constructor(clip: Int16Array) {
    this.#clip = clip
  }

  /** The next samples; undefined if there are none at all. */
  take(length: number): Int16Array | undefined {
    if (this.#clip.length === 0) return undefined
    const frame = new Int16Array(length)
    for (let at = 0; at < length; at += 1) {
      frame[at] = this.#clip[this.#at] ?? 0
      this.#at = (this.#at + 1) % this.#clip.length
    }
    return frame
  }
}

/** A leg that played nothing for so many frames is silent. */
const stillFrames = 2
/** Frames come in bursts after the process was busy: so much is still in step. */
const inStepMs = 150
/** As often as this what is always behind is skipped. */
const checkFrames = 16

/** What a leg really played, frame by frame in step with what it hears: the reference of the echo canceller. */
export class PlayedSound {
  readonly #sampleRate: number
  readonly #playedMs: () => number
  /** Given and not yet taken as reference, from `#from` on. */
  #pieces: Int16Array[] = []
  #from = 0
  #given = 0
  #at = 0
  #played = 0
  #stillFrames = stillFrames
  #isRunning = false
  #frames = 0
  #leastBehind = Infinity

  /** `playedMs` is how much the leg has played over the whole call. */
  constructor(sampleRate: number, playedMs: () => number) {
    this.#sampleRate = sampleRate
    this.#playedMs = playedMs
    this.#from = this.#given = this.#at = this.#played = this.#playedSamples()
  }

  gave(samples: Int16Array) {
    this.#pieces.push(samples.slice()) // the caller may reuse the memory
    this.#given += samples.length
  }

  /** What was given and is not played yet is not played any more. */
  cleared() {
    const played = Math.max(this.#playedSamples(), this.#from)
    for (let last = this.#pieces.at(-1); last && this.#given > played; last = this.#pieces.at(-1)) {
      this.#pieces.pop()
      const kept = last.subarray(0, Math.max(0, last.length - (this.#given - played)))
      this.#given -= last.length - kept.length
      if (kept.length > 0) this.#pieces.push(kept)
    }
  }

  /** What was played while the next `length` samples were heard; null for silence. */
  next(length: number): Int16Array | null {
    const played = Math.min(this.#playedSamples(), this.#given)
    this.#stillFrames = played > this.#played ? 0 : this.#stillFrames + 1
    this.#played = played
    if (this.#stillFrames >= stillFrames && this.#at >= played) this.#isRunning = false
    else if (!this.#isRunning) this.#begin(played - length)
    if (!this.#isRunning) return null
    const most = (inStepMs * this.#sampleRate) / 1_000
    if (Math.abs(played - length - this.#at) > most) this.#at = played - length
    this.#catchUp(played - length - this.#at)
    const frame = this.#samples(this.#at, length)
    this.#at += length
    return frame
  }

  #begin(at: number) {
    this.#isRunning = true
    this.#at = at
    this.#frames = 0
    this.#leastBehind = Infinity
  }

  /** Behind after a burst is in order, and behind all the time is an echo that comes before its sound. */
  #catchUp(behind: number) {
    this.#leastBehind = Math.min(this.#leastBehind, behind)
    this.#frames += 1
    if (this.#frames < checkFrames) return
    if (this.#leastBehind > 0) this.#at += this.#leastBehind
    this.#frames = 0
    this.#leastBehind = Infinity
  }

  #playedSamples(): number {
    return Math.round((this.#playedMs() * this.#sampleRate) / 1_000)
  }

  #samples(at: number, length: number): Int16Array {
    const frame = new Int16Array(length)
    while (this.#pieces[0] && this.#from + this.#pieces[0].length <= at)
      this.#from += this.#pieces.shift()?.length ?? 0
    let from = this.#from
    for (const piece of this.#pieces) {
      if (from >= at + length) break
      const begin = Math.max(at, from)
      const end = Math.min(at + length, from + piece.length)
      if (end > begin) frame.set(piece.subarray(begin - from, end - from), begin - at)
      from += piece.length
    }
    return frame
  }
}

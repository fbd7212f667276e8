/** More than so much waiting makes `play` wait. */
const plentyMs = 400

interface Waiting {
  resolve: () => void
  /** Resolves when no more samples than this wait. */
  most: number
}

/** What waits to be played to a party, and how much of it was. */
export class Playout {
  readonly #sampleRate: number
  #pieces: Int16Array[] = []
  /** Of the first piece, how many samples were taken. */
  #taken = 0
  #samples = 0
  #played = 0
  #waiting: Waiting[] = []
  #isOver = false

  constructor(sampleRate: number) {
    this.#sampleRate = sampleRate
  }

  get playedMs(): number {
    return (this.#played * 1000) / this.#sampleRate
  }

  get isEmpty(): boolean {
    return this.#samples === 0
  }

  play(samples: Int16Array): Promise<void> {
    if (this.#isOver || samples.length === 0) return Promise.resolve()
    this.#pieces.push(samples.slice()) // the caller may reuse the memory
    this.#samples += samples.length
    return this.#until((plentyMs * this.#sampleRate) / 1000)
  }

  drained(): Promise<void> {
    return this.#until(0)
  }

  /** The next frame, silence behind the last sample; undefined when nothing waits. */
  take(length: number): Int16Array | undefined {
    if (this.#samples === 0) return undefined
    const frame = new Int16Array(length)
    let filled = 0
    while (filled < length && this.#pieces[0]) {
      const piece = this.#pieces[0].subarray(this.#taken, this.#taken + length - filled)
      frame.set(piece, filled)
      filled += piece.length
      this.#taken += piece.length
      if (this.#taken < this.#pieces[0].length) continue
      this.#pieces.shift()
      this.#taken = 0
    }
    this.#samples -= filled
    this.#played += filled
    this.#tell()
    return frame
  }

  clear(): void {
    this.#pieces = []
    this.#taken = 0
    this.#samples = 0
    this.#tell()
  }

  /** Nothing is played any more, and pending waits resolve. */
  end(): void {
    this.#isOver = true
    this.clear()
  }

  #until(most: number): Promise<void> {
    if (this.#samples <= most) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ resolve, most }))
  }

  #tell(): void {
    if (this.#waiting.length === 0) return
    const [told, waiting] = [[] as Waiting[], [] as Waiting[]]
    for (const one of this.#waiting) (this.#samples <= one.most ? told : waiting).push(one)
    this.#waiting = waiting
    for (const { resolve } of told) resolve()
  }
}

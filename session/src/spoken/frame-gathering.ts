/** So long after a voice its transcript may still wait for the silence behind it. */
const soonAfterMs = 1_000
/** Later, sound goes on in pieces of this length: a request for each frame costs more than anything in the frame. */
const pieceMs = 100

/** Passes frames on one by one while somebody speaks and right after it, and in longer pieces while nobody does. */
export class FrameGathering {
  readonly #sampleRate: number
  readonly #pass: (samples: Int16Array) => void
  #waiting: Int16Array[] = []
  #samples = 0
  #isVoice = false
  #sinceVoice = Infinity

  constructor(sampleRate: number, pass: (samples: Int16Array) => void) {
    this.#sampleRate = sampleRate
    this.#pass = pass
  }

  voiceStarted() {
    this.#isVoice = true
    this.flush()
  }

  voiceEnded() {
    this.#isVoice = false
    this.#sinceVoice = 0
  }

  add(frame: Int16Array) {
    const soonAfter = (soonAfterMs * this.#sampleRate) / 1_000
    this.#sinceVoice += frame.length
    this.#waiting.push(frame)
    this.#samples += frame.length
    const isSoon = this.#isVoice || this.#sinceVoice <= soonAfter
    if (isSoon || this.#samples >= (pieceMs * this.#sampleRate) / 1_000) this.flush()
  }

  /** What waits is passed on. */
  flush() {
    const [first, ...more] = this.#waiting
    if (!first) return
    this.#waiting = []
    const samples = this.#samples
    this.#samples = 0
    if (more.length === 0) return this.#pass(first)
    const piece = new Int16Array(samples)
    let at = 0
    for (const frame of [first, ...more]) {
      piece.set(frame, at)
      at += frame.length
    }
    this.#pass(piece)
  }
}

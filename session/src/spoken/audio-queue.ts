/** So much is kept for transcribers that do not take it yet; what is older is lost. */
const mostWaitingS = 10

/** The party's samples, and what is asked between them, on their way to the transcriber. One reader at a time. */
export class AudioQueue<Asked> {
  readonly #most: number
  #waiting: (Uint8Array | Asked)[] = []
  #samples = 0
  #isEnded = false
  #wake: (() => void) | null = null

  constructor(sampleRate: number) {
    this.#most = mostWaitingS * sampleRate
  }

  add(samples: Int16Array) {
    this.#put(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength))
    this.#samples += samples.length
    while (this.#samples > this.#most) this.#samples -= lengthOf(this.#waiting.shift())
  }

  ask(asked: Asked) {
    this.#put(asked)
  }

  /** Another transcriber listens from now on, without pending requests. */
  forgetAsked() {
    this.#waiting = this.#waiting.filter((next) => next instanceof Uint8Array)
  }

  end() {
    this.#isEnded = true
    this.#wake?.()
  }

  async *read(signal: AbortSignal): AsyncIterable<Uint8Array | Asked> {
    const wake = () => this.#wake?.()
    signal.addEventListener('abort', wake, { once: true })
    try {
      while (!signal.aborted) {
        const next = this.#waiting.shift()
        if (next !== undefined) {
          this.#samples -= lengthOf(next)
          yield next
          continue
        }
        if (this.#isEnded) return
        await new Promise<void>((resolve) => (this.#wake = resolve))
      }
    } finally {
      signal.removeEventListener('abort', wake)
    }
  }

  #put(next: Uint8Array | Asked) {
    this.#waiting.push(next)
    this.#wake?.()
  }
}

const lengthOf = (next: unknown) => (next instanceof Uint8Array ? next.length / 2 : 0)

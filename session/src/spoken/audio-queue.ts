import type { LiveAudio } from '@switchroom/kit/vendor'

/** So much is kept for ears that do not take it yet; what is older is lost. */
const mostWaitingS = 10

/** The party's samples on their way to whichever ears listen now. One reader at a time. */
export class AudioQueue {
  readonly #most: number
  #waiting: LiveAudio[] = []
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

  /** Whoever listens is asked to commit what it heard. */
  finalize() {
    this.#put('finalize')
  }

  end() {
    this.#isEnded = true
    this.#wake?.()
  }

  async *read(signal: AbortSignal): AsyncIterable<LiveAudio> {
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

  #put(audio: LiveAudio) {
    this.#waiting.push(audio)
    this.#wake?.()
  }
}

const lengthOf = (audio: LiveAudio | undefined) => (audio instanceof Uint8Array ? audio.length / 2 : 0)

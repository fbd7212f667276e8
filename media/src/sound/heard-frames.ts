/** What is kept for a reader that is yet to come, or slow: three seconds. */
const mostFrames = 150

/** The frames that a party was heard in, for one reader at a time. */
export class HeardFrames {
  #frames: Int16Array[] = []
  #isOver = false
  #wake: (() => void) | undefined
  #readers = 0

  put(frame: Int16Array): void {
    if (this.#isOver) return
    this.#frames.push(frame)
    if (this.#frames.length > mostFrames) this.#frames.shift()
    this.#tell()
  }

  /** What was kept is in another form than what follows. */
  clear(): void {
    this.#frames = []
  }

  end(): void {
    this.#isOver = true
    this.#tell()
  }

  /** A new reader takes over from the one before it, which then ends. */
  async *read(): AsyncGenerator<Int16Array, void, undefined> {
    this.#readers += 1
    const reader = this.#readers
    this.#tell()
    while (reader === this.#readers) {
      const frame = this.#frames.shift()
      if (frame) yield frame
      else if (this.#isOver) return
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
    }
  }

  #tell(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }
}

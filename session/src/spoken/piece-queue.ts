import { untilAborted } from '@switchroom/kit/until-aborted'

/** What comes piece by piece, for one reader. */
export class PieceQueue<Piece> {
  #waiting: Piece[] = []
  #end: { failure: unknown } | null = null
  #wake: (() => void) | null = null

  get waiting(): readonly Piece[] {
    return this.#waiting
  }

  put(piece: Piece) {
    if (this.#end) return
    this.#waiting.push(piece)
    this.#wake?.()
  }

  end() {
    this.#end ??= { failure: null }
    this.#wake?.()
  }

  /** What waits is lost. */
  fail(failure: unknown) {
    if (this.#end) return
    this.#waiting = []
    this.#end = { failure }
    this.#wake?.()
  }

  async *taken(signal: AbortSignal): AsyncIterable<Piece> {
    for (;;) {
      signal.throwIfAborted()
      const piece = this.#waiting.shift()
      if (piece !== undefined) yield piece
      else if (this.#end?.failure) throw this.#end.failure
      else if (this.#end) return
      else await untilAborted(new Promise<void>((resolve) => (this.#wake = resolve)), signal)
    }
  }
}

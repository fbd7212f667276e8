import { abandon } from '@switchroom/kit/until-aborted'

/** What a source has, taken before it is asked for: so many pieces may wait. */
export async function* readAhead<Piece>(source: AsyncIterable<Piece>, most: number): AsyncIterable<Piece> {
  const ahead = new Ahead(source, most)
  try {
    for (let next = await ahead.next(); next; next = await ahead.next()) yield next.piece
  } finally {
    ahead.leave()
  }
}

class Ahead<Piece> {
  readonly #source: AsyncIterator<Piece>
  readonly #most: number
  readonly #waiting: Piece[] = []
  #end: { failure: unknown } | null = null
  #isLeft = false
  #wakeReader = () => {}
  #wakeSource = () => {}

  constructor(source: AsyncIterable<Piece>, most: number) {
    this.#source = source[Symbol.asyncIterator]()
    this.#most = most
    this.#read().then(
      () => this.#over(null),
      (error: unknown) => this.#over(error),
    )
  }

  /** Null after the last. */
  async next(): Promise<{ piece: Piece } | null> {
    while (this.#waiting.length === 0 && !this.#end)
      await new Promise<void>((resolve) => (this.#wakeReader = resolve))
    const [piece] = this.#waiting.splice(0, 1)
    this.#wakeSource()
    if (piece !== undefined) return { piece }
    if (this.#end && this.#end.failure !== null) throw this.#end.failure
    return null
  }

  /** Nobody reads it any more. */
  leave() {
    this.#isLeft = true
    this.#wakeSource()
    abandon(this.#source)
  }

  async #read() {
    for (let next = await this.#source.next(); !next.done; next = await this.#source.next()) {
      this.#waiting.push(next.value)
      this.#wakeReader()
      while (this.#waiting.length >= this.#most && !this.#isLeft)
        await new Promise<void>((resolve) => (this.#wakeSource = resolve))
      if (this.#isLeft) return
    }
  }

  #over(failure: unknown) {
    this.#end = { failure }
    this.#wakeReader()
  }
}

/** So that the first words are heard soon, and no voice is asked for every crumb after them. */
const shortestFirst = 12
const shortestFirstClause = 25
const shortest = 40
const longest = 400

const ends = /(?<![.!?…:;])[.!?…:;]+["')\]]*\s+|[。！？]|\n+/gu
const clauseEnds = /[,–—]\s+|[，、]/gu

/** Cuts a text that still grows into what can be said already. The pieces together are the text. */
export class Sentences {
  #waiting = ''
  #isFirst = true

  /** What is complete with this. */
  add(text: string): string[] {
    this.#waiting += text
    const complete: string[] = []
    for (let end = this.#end(); end !== null; end = this.#end()) complete.push(this.#take(end))
    return complete
  }

  /** What waited for its end. */
  rest(): string[] {
    return this.#waiting.trim() === '' ? [] : [this.#take(this.#waiting.length)]
  }

  /** What was not given out yet. */
  get waiting(): string {
    return this.#waiting
  }

  /** Forgets it. */
  clear() {
    this.#waiting = ''
  }

  #end(): number | null {
    const end = this.#isFirst
      ? (this.#endAfter(ends, shortestFirst) ?? this.#endAfter(clauseEnds, shortestFirstClause))
      : this.#endAfter(ends, shortest)
    if (end !== undefined) return end
    if (this.#waiting.length < longest) return null
    const space = this.#waiting.lastIndexOf(' ', longest)
    return space > 0 ? space + 1 : longest
  }

  #endAfter(kind: RegExp, least: number): number | undefined {
    const found = this.#waiting.matchAll(kind).map(({ index, 0: end }) => index + end.length)
    return found.find((end) => end >= least)
  }

  #take(end: number): string {
    const piece = this.#waiting.slice(0, end)
    this.#waiting = this.#waiting.slice(end)
    this.#isFirst = false
    return piece
  }
}

export interface SpokenWord {
  word: string
  /** Seconds from the start of the audio. */
  start: number
  end: number
}

interface Token {
  word: string
  /** The place after its last character, counted as espeak counts: in code points. */
  end: number
}

/**
 * When each white-space separated word of a piece was said. espeak announces what it says, not what was
 * written: one written word may be announced several times, and several may be announced as one.
 */
export class SpokenWords {
  readonly #tokens: Token[]
  readonly #offset: number
  #first = 0
  #start = 0

  constructor(piece: string, offsetSeconds: number) {
    this.#tokens = tokensOf(piece)
    this.#offset = offsetSeconds
  }

  /** espeak begins to say the text at `place`; the words before it are over. Times count in the piece. */
  reach(place: number, at: number, voicedUntil: number): SpokenWord[] {
    const reached = this.#tokens.findIndex(({ end }) => place < end)
    if (reached <= this.#first) return []
    const over = this.#shared(this.#tokens.slice(this.#first, reached), Math.min(at, voicedUntil))
    this.#first = reached
    this.#start = at
    return over
  }

  end(voicedUntil: number): SpokenWord[] {
    return this.#shared(this.#tokens.slice(this.#first), voicedUntil)
  }

  /** Words announced as one share its time by their letters. */
  #shared(tokens: Token[], until: number): SpokenWord[] {
    const letters = tokens.reduce((sum, { word }) => sum + word.length, 0)
    const seconds = Math.max(0, until - this.#start)
    let start = this.#start
    return tokens.map(({ word }) => {
      const end = start + (seconds * word.length) / letters
      const spoken = { word, start: toMs(this.#offset + start), end: toMs(this.#offset + end) }
      start = end
      return spoken
    })
  }
}

const toMs = (seconds: number) => Math.round(seconds * 1_000) / 1_000

function tokensOf(piece: string): Token[] {
  return [...piece.matchAll(/\S+/gu)].map((found) => {
    const end = Array.from(piece.slice(0, found.index) + found[0]).length
    return { word: found[0], end }
  })
}

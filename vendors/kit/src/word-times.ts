import type { Spoken } from './vendor.ts'

/** When a vendor says a part of a text, in seconds: a character, a word, or several. */
export interface Mark {
  text: string
  start: number
  end: number
}

/**
 * When each white-space separated word of a text is said. Vendors drop punctuation and cut words in their
 * own way, so letters and digits are counted until a word is complete.
 */
export class WordTimes {
  readonly #words: { word: string; letters: number }[]
  #next = 0
  #lettersSaid = 0
  #start: number | undefined
  #end = 0
  #hasBegun = false

  constructor(text: string) {
    this.#words = (text.match(/\S+/gu) ?? []).map((word) => ({ word, letters: lettersIn(word) }))
  }

  /** The words that are complete with this mark. */
  *say({ text, start, end }: Mark): Iterable<Spoken> {
    this.#hasBegun = true
    let letters = lettersIn(text)
    for (let word = this.#words[this.#next]; word && letters > 0; word = this.#words[this.#next]) {
      if (word.letters > 0) {
        this.#start ??= Math.max(start || 0, this.#end)
        this.#end = Math.max(end || 0, this.#start)
      }
      const missing = word.letters - this.#lettersSaid
      if (letters < missing) {
        this.#lettersSaid += letters
        return
      }
      letters -= missing
      yield this.#complete(word.word)
    }
  }

  /** The words without a time; empty if no word has one. */
  *rest(): Iterable<Spoken> {
    if (!this.#hasBegun) return
    for (let word = this.#words[this.#next]; word; word = this.#words[this.#next])
      yield this.#complete(word.word)
  }

  #complete(word: string): Spoken {
    const said = { type: 'word', word, start: this.#start ?? this.#end, end: this.#end } as const
    this.#next += 1
    this.#lettersSaid = 0
    this.#start = undefined
    return said
  }
}

const lettersIn = (text: string) => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0

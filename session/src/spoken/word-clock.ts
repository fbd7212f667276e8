import type { SaidText } from './said-text.ts'

/** Assumed speaking rate until word times are known. */
const charactersPerSecond = 15

interface TimedWord {
  word: string
  /** Where it ends in the whole text. */
  end: number
  atMs: number
}

/** When each word of what is being said is heard, and how much of the text has been heard so far. */
export class WordClock {
  readonly #words: TimedWord[] = []
  #text = ''
  #audioMs = 0
  #told = 0
  #piece: Piece = { said: asItIs(''), saidWords: [], from: 0, fromMs: 0, words: [], placed: 0 }

  /** The next piece of the text begins where the audio so far ends. */
  begin(text: string, said: SaidText = asItIs(text)) {
    const from = this.#text.length
    const saidWords = wordsIn(said.text)
    this.#piece = { said, saidWords, from, fromMs: this.#audioMs, words: [], placed: 0 }
    this.goOn(text)
  }

  /** The piece has more words. */
  goOn(text: string) {
    const { from, fromMs, words } = this.#piece
    const at = this.#text.length
    const more = wordsIn(text).map(({ word, begin, end }) => {
      const atMs = fromMs + ((at - from + begin) / charactersPerSecond) * 1_000
      return { word, end: at + end, atMs }
    })
    this.#text += text
    this.#words.push(...more)
    words.push(...more)
  }

  addAudio(ms: number) {
    this.#audioMs += ms
  }

  /** The nth word of the piece as it is said begins then, counted from the beginning of the piece's audio. */
  place(nth: number, startMs: number) {
    const piece = this.#piece
    const saidWord = piece.saidWords[nth]
    if (!saidWord) return
    const begin = piece.said.reaches(saidWord.begin)
    const end = Math.max(piece.said.reaches(saidWord.end), begin + 1)
    for (let word = piece.words[piece.placed]; word; word = piece.words[piece.placed]) {
      if (beginOf(word) - piece.from >= end) return
      word.atMs = piece.fromMs + startMs
      piece.placed += 1
    }
  }

  /** The piece's audio is complete: words without times are spread over it. */
  finish() {
    const { fromMs, placed, words, from } = this.#piece
    const length = this.#text.length - from
    if (placed > 0 || length === 0) return
    for (const word of words)
      word.atMs = fromMs + ((beginOf(word) - from) / length) * (this.#audioMs - fromMs)
  }

  /** The words that begin up to this moment of the audio, each once. */
  *heardUntil(ms: number): Iterable<string> {
    const known = this.#words.findLastIndex(({ atMs }) => atMs < Math.min(ms, this.#audioMs))
    for (; this.#told <= known; this.#told += 1) yield this.#words[this.#told]?.word ?? ''
  }

  /** When the next word begins; null if none is known. */
  get nextMs(): number | null {
    return this.#words[this.#told]?.atMs ?? null
  }

  /** The text as far as its words were given out. */
  get heard(): string {
    const last = this.#words[this.#told - 1]
    return last ? this.#text.slice(0, last.end).trim() : ''
  }

  /** The rest of it. */
  get unheard(): string {
    return this.#text.slice(this.#words[this.#told - 1]?.end ?? 0)
  }

  get text(): string {
    return this.#text
  }

  get audioMs(): number {
    return this.#audioMs
  }

  /** Ends the piece where its audio ends, and gives back what of it was not begun. */
  cut(): string {
    const next = this.#piece.words.find(({ atMs }) => atMs >= this.#audioMs)
    if (!next) return ''
    const rest = this.#text.slice(beginOf(next))
    this.#text = this.#text.slice(0, beginOf(next))
    this.#words.length = this.#words.indexOf(next)
    return rest
  }
}

interface Piece {
  said: SaidText
  saidWords: Word[]
  /** Where it begins in the whole text, and in the audio. */
  from: number
  fromMs: number
  words: TimedWord[]
  /** How many of its words have a time. */
  placed: number
}

interface Word {
  word: string
  begin: number
  end: number
}

const asItIs = (text: string): SaidText => ({ text, reaches: (place) => place })

const wordsIn = (text: string): Word[] =>
  [...text.matchAll(/\S+/gu)].map(({ 0: word, index }) => ({ word, begin: index, end: index + word.length }))

const beginOf = ({ word, end }: TimedWord) => end - word.length

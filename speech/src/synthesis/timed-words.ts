import type { Spoken } from '@switchroom/kit/vendor'
import { rounded } from '../foundation/rounding.ts'

/** How fast a voice speaks that does not say. */
const charactersPerSecond = 15
/** How much sound waits for a vendor that sends a word's time after its sound. */
const heldSeconds = 1
const bytesPerSample = 2

export interface TimedWord {
  type: 'word'
  word: string
  start: number
  end: number
}
export type Timed = { type: 'audio'; pcm: Uint8Array } | TimedWord

/**
 * Each white-space separated word of a text once, before any sound that starts after its end. A vendor's own times
 * come in the order of the words; without any from the vendor they are estimated from the sound.
 */
export class TimedWords {
  readonly #words: TimedWord[]
  readonly #sampleRate: number
  readonly #held: { pcm: Uint8Array; start: number; end: number }[] = []
  /** Words that the vendor gave a time, and words that were handed out. */
  #known = 0
  #told = 0
  #soundEnd = 0
  #wordEnd = 0
  /** Enough sound went by without a single time. */
  #isEstimated = false

  constructor(text: string, sampleRate: number) {
    this.#sampleRate = sampleRate
    this.#words = wordsOf(text)
  }

  *take(spoken: Spoken): Iterable<Timed> {
    if (spoken.type === 'word') this.#learn(spoken)
    else {
      const start = this.#soundEnd
      this.#soundEnd += spoken.pcm.length / bytesPerSample / this.#sampleRate
      this.#held.push({ pcm: spoken.pcm, start, end: this.#soundEnd })
    }
    yield* this.#release(heldSeconds)
  }

  *end(): Iterable<Timed> {
    yield* this.#release(0)
    for (let word = this.#words[this.#told]; word; word = this.#words[this.#told])
      yield this.#tell(word, this.#soundEnd)
  }

  #learn({ start, end }: { start: number; end: number }) {
    const word = this.#words[this.#known]
    if (!word) return
    this.#known += 1
    if (this.#known <= this.#told) return // it was estimated before the vendor said so
    word.start = start
    word.end = end
  }

  *#release(mostHeldSeconds: number): Iterable<Timed> {
    for (let sound = this.#held[0]; sound; sound = this.#held[0]) {
      const isPlaced = this.#isEstimated || this.#isKnownUntil(sound.start)
      if (!isPlaced && this.#soundEnd - sound.start <= mostHeldSeconds) return
      this.#isEstimated ||= !isPlaced && this.#known === 0
      yield* this.#wordsBefore(sound)
      this.#held.shift()
      yield { type: 'audio', pcm: sound.pcm }
    }
  }

  /** Whether every word that ends before has its time; before the first sound none can. */
  #isKnownUntil(seconds: number): boolean {
    const last = this.#words[this.#known - 1]
    return seconds === 0 || this.#known === this.#words.length || (last !== undefined && last.end >= seconds)
  }

  *#wordsBefore(sound: { start: number; end: number }): Iterable<Timed> {
    for (let word = this.#words[this.#told]; word; word = this.#words[this.#told]) {
      // a vendor's word comes with the sound it begins in, an estimated one once there is sound for all of it
      const isKnown = this.#told < this.#known
      const isDue = isKnown ? word.start < sound.end : this.#isEstimated && word.end <= sound.start
      if (!isDue) return
      yield this.#tell(word, isKnown ? Infinity : sound.start)
    }
  }

  /** Never before the word before it, never past what sound there is. */
  #tell({ word, ...told }: TimedWord, latest: number): TimedWord {
    const start = Math.max(Math.min(told.start, latest), this.#wordEnd)
    const end = Math.max(Math.min(told.end, latest), start)
    this.#told += 1
    this.#wordEnd = end
    return { type: 'word', word, start: rounded(start, 3), end: rounded(end, 3) }
  }
}

function wordsOf(text: string): TimedWord[] {
  let at = 0
  return (text.match(/\s+|\S+/gu) ?? []).flatMap((part) => {
    const start = at / charactersPerSecond
    at += Array.from(part).length
    return part.trim() === ''
      ? []
      : [{ type: 'word' as const, word: part, start, end: at / charactersPerSecond }]
  })
}

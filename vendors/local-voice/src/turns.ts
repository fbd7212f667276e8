import type { Espeak, Manner } from './espeak.ts'
import { piecesOf, type Piece } from './pieces.ts'
import type { SpokenWord } from './spoken-words.ts'

/** How far a request may be spoken ahead of what its listener took. */
const mostAheadBytes = 512 * 1024
const usualWordsPerMinute = 175

export interface Spoken {
  audio(id: number, samples: Int16Array): void
  word(id: number, word: SpokenWord): void
  done(id: number): void
}

interface Request {
  id: number
  manner: Manner
  pieces: Iterator<Piece>
  samples: number
  aheadBytes: number
  /** The part of a word that ended the last piece. */
  begun?: SpokenWord | undefined
}

/** Several texts spoken side by side: one piece of each in turn, none further than its listener follows. */
export class Turns {
  readonly #espeak: Espeak
  readonly #spoken: Spoken
  /** In the order of their next turn. */
  readonly #requests = new Map<number, Request>()
  #isSpeaking = false

  constructor(espeak: Espeak, spoken: Spoken) {
    this.#espeak = espeak
    this.#spoken = spoken
  }

  speak(id: number, text: string, manner: Manner) {
    const pieces = piecesOf(text)[Symbol.iterator]()
    this.#requests.set(id, { id, manner, pieces, samples: 0, aheadBytes: 0 })
    this.#wake()
  }

  taken(id: number, bytes: number) {
    const request = this.#requests.get(id)
    if (!request) return
    request.aheadBytes -= bytes
    this.#wake()
  }

  cancel(id: number) {
    this.#requests.delete(id)
  }

  #wake() {
    if (this.#isSpeaking) return
    this.#isSpeaking = true
    setImmediate(() => this.#turn())
  }

  #turn() {
    const next = [...this.#requests.values()].find(({ aheadBytes }) => aheadBytes < mostAheadBytes)
    if (!next) {
      this.#isSpeaking = false
      return
    }
    this.#requests.delete(next.id)
    const piece = next.pieces.next()
    if (piece.done) this.#spoken.done(next.id)
    else {
      this.#speakPiece(next, piece.value)
      this.#requests.set(next.id, next)
    }
    setImmediate(() => this.#turn()) // in between, what came in is read: a cancel, a shorter request
  }

  #speakPiece(request: Request, { text, restMs, isBroken }: Piece) {
    let last: SpokenWord | undefined
    const give = (samples: Int16Array) => {
      request.aheadBytes += samples.byteLength
      this.#spoken.audio(request.id, samples)
    }
    request.samples += this.#espeak.speak(text, request.manner, request.samples, {
      audio: give,
      word: (word) => {
        if (last) this.#spoken.word(request.id, last)
        last = joined(request.begun, word)
        request.begun = undefined
        if (isBroken) return
        this.#spoken.word(request.id, last)
        last = undefined
      },
    })
    request.begun = last
    const pace = usualWordsPerMinute / request.manner.wordsPerMinute
    const rest = Math.round((restMs / 1_000) * pace * this.#espeak.sampleRate)
    if (rest > 0) give(new Int16Array(rest))
    request.samples += rest
  }
}

const joined = (begun: SpokenWord | undefined, word: SpokenWord): SpokenWord =>
  begun ? { word: begun.word + word.word, start: begun.start, end: word.end } : word

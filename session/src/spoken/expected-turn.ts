import { isWholeSentence } from './end-of-turn.ts'

/** Words that the transcribers have not settled are taken for the last ones if they did not change for so long. */
const stableMs = 100

/** What is known of a turn in the silence that may be its end. */
export interface TurnSoFar {
  text: string
  language: string | null
  /** Whether the transcribers have settled the words, and when they last changed them. */
  isSettled: boolean
  lastHeardMs: number
  /** Whether the caller is probably done. */
  isDone: boolean
  /** Until the turn ends, if the caller stays silent. */
  waitMs: number
}

/** What the caller will have said if they stay silent: a model may think about it before the turn is over. */
export class ExpectedTurn {
  readonly #expected: (text: string | null) => void
  readonly #nowMs: () => number
  #text: string | null = null
  #timer: NodeJS.Timeout | undefined

  constructor(expected: (text: string | null) => void, nowMs: () => number) {
    this.#expected = expected
    this.#nowMs = nowMs
  }

  look({ text, language, isSettled, lastHeardMs, isDone, waitMs }: TurnSoFar) {
    clearTimeout(this.#timer)
    if (waitMs <= 0) return // it ends now, with what is expected or with something else
    const isLikely = isDone && (isSettled || isWholeSentence(text, language))
    const changesMs = isSettled ? 0 : lastHeardMs + stableMs - this.#nowMs()
    if (!isLikely) this.drop()
    else if (changesMs <= 0) this.#tell(text)
    else this.#timer = setTimeout(() => this.#tell(text), changesMs)
  }

  /** The caller continues. */
  drop() {
    clearTimeout(this.#timer)
    this.#tell(null)
  }

  /** The turn is over: what was expected has come, or is known to be wrong. */
  end() {
    clearTimeout(this.#timer)
    this.#text = null
  }

  #tell(text: string | null) {
    if (text === this.#text) return
    this.#text = text
    this.#expected(text)
  }
}

import type { Heard, HeardWord } from '@switchroom/kit/vendor'

export interface TurnInfo {
  type: 'TurnInfo'
  event: 'Update' | 'StartOfTurn' | 'EagerEndOfTurn' | 'TurnResumed' | 'EndOfTurn'
  /** Everything said in the turn so far. */
  transcript: string
  words?: { word: string; start?: number; end?: number }[]
  audio_window_start?: number
  audio_window_end?: number
  languages?: string[]
}

const turn = (state: 'started' | 'eager' | 'resumed' | 'ended'): Heard => ({ type: 'turn', state })

/** The caller's turns, one after the other, as Flux reports them. */
export class Turns {
  #going: TurnInfo | undefined
  #lastText = '';

  *hear(info: TurnInfo): Iterable<Heard> {
    if (info.event === 'EndOfTurn') {
      yield* this.#over(info)
      return
    }
    if (info.event === 'StartOfTurn') yield turn('started')
    if (info.event === 'TurnResumed') yield turn('resumed')
    if (this.#going || info.event === 'StartOfTurn') this.#going = info
    // it reports the turn four times a second, whether or not there is news
    if (info.transcript !== '' && info.transcript !== this.#lastText)
      yield { type: 'partial', text: info.transcript }
    this.#lastText = info.transcript
    if (info.event === 'EagerEndOfTurn') yield turn('eager')
  }

  /** No more audio comes: what was heard last of the turn is what was said in it. */
  *end(): Iterable<Heard> {
    if (this.#going) yield* this.#over(this.#going)
  }

  *#over(info: TurnInfo): Iterable<Heard> {
    this.#going = undefined
    this.#lastText = ''
    if (info.transcript !== '') yield { type: 'final', ...utteranceOf(info) }
    yield turn('ended')
  }
}

function utteranceOf({ transcript, words = [], languages, ...range }: TurnInfo) {
  const timed = words.filter((word): word is HeardWord => word.start !== undefined && word.end !== undefined)
  const start = timed[0]?.start ?? range.audio_window_start
  const end = timed.at(-1)?.end ?? range.audio_window_end
  const language = languages?.[0]
  return {
    text: transcript,
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
    ...(language !== undefined && { language }),
    words: timed.map((word) => ({ word: word.word, start: word.start, end: word.end })),
  }
}

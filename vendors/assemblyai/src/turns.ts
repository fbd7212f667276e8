import { eventOf } from '@switchroom/kit/server-events'
import { primaryTag } from '@switchroom/kit/languages'
import type { LiveWire } from '@switchroom/kit/live-transcription'
import { speakerNumbers } from '@switchroom/kit/speakers'
import type { Heard, HeardWord } from '@switchroom/kit/vendor'
import { failureFor } from './codes.ts'

interface Turn {
  type: 'Turn'
  end_of_turn: boolean
  turn_is_formatted: boolean
  /** The words that will not change any more. */
  transcript: string
  words?: { text: string; start: number; end: number; speaker?: string | null }[]
  language_code?: string | null
  speaker_label?: string | null
}

type Message =
  | Turn
  | { type: 'Begin' | 'SpeechStarted' | 'Termination' | 'Warning' }
  | { type: 'Error'; error?: string; error_code?: number }

/** With formatting a turn ends twice: as it was heard, then once more as it is written. */
export function hearing(isFormatted: boolean): LiveWire['hear'] {
  const speakerNumber = speakerNumbers()
  const speakerOf = (label: string | null | undefined) =>
    typeof label === 'string' && label !== 'UNKNOWN' ? { speaker: speakerNumber(label) } : {}
  let isTurn = false
  let pending: Turn | undefined

  function* started(): Iterable<Heard> {
    if (!isTurn) yield { type: 'turn', state: 'started' }
    isTurn = true
  }

  function* ended(turn: Turn, text: string): Iterable<Heard> {
    pending = undefined
    const words = (turn.words ?? []).map((word): HeardWord => ({
      word: word.text,
      start: word.start / 1_000,
      end: word.end / 1_000,
      ...speakerOf(word.speaker),
    }))
    const [first, last] = [words[0], words.at(-1)]
    if (text)
      yield {
        type: 'final',
        text,
        ...(first && last && { start: first.start, end: last.end, words }),
        ...(turn.language_code && { language: primaryTag(turn.language_code) }),
        ...speakerOf(turn.speaker_label),
      }
    if (isTurn) yield { type: 'turn', state: 'ended' }
    isTurn = false
  }

  return function* hear(frame) {
    const said = eventOf(String(frame)) as unknown as Message
    if (said.type === 'Begin') yield { type: 'ready' }
    if (said.type === 'SpeechStarted') yield* started()
    if (said.type === 'Error') throw failureFor(said.error_code, said.error ?? `code ${said.error_code}`)
    if (said.type === 'Turn') {
      if (textOf(said)) yield* started()
      const isOver = said.end_of_turn && (!isFormatted || said.turn_is_formatted)
      if (isOver) yield* ended(said, said.transcript)
      else if (textOf(said)) {
        pending = said
        yield { type: 'partial', text: textOf(said) }
      }
    }
    if (said.type === 'Termination') {
      if (pending) yield* ended(pending, textOf(pending))
      yield 'finished'
    }
  }
}

/** All words so far, the unsure ones too. */
const textOf = ({ words, transcript }: Turn) => (words ?? []).map(({ text }) => text).join(' ') || transcript

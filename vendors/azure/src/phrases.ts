import { busy, refused, silent } from '@switchroom/kit/failures'
import { primaryTag } from '@switchroom/kit/languages'
import type { Heard, HeardWord } from '@switchroom/kit/vendor'

/** Of what it counts in. */
const unitsPerSecond = 10_000_000

interface Timed {
  /** From the start of the turn. */
  Offset: number
  Duration: number
}

export interface Phrase extends Timed {
  RecognitionStatus?: string
  /** Written as it is meant to be read; the words are as they sound. */
  NBest?: { Display?: string; Words?: (Timed & { Word: string })[] }[]
  PrimaryLanguage?: { Language?: string }
  SpeakerId?: string
}

/** What a phrase says, in a turn that began so many seconds into the sound; null if it says nothing. */
export function finalOf(
  phrase: Phrase,
  turnStart: number,
  speakerNumber: (label: string) => number,
): Heard | null {
  refuse(phrase.RecognitionStatus)
  const [best] = phrase.NBest ?? []
  if (phrase.RecognitionStatus !== 'Success' || !best?.Display) return null
  const { SpeakerId: label, PrimaryLanguage: language } = phrase
  const speaker = label && label !== 'Unknown' ? { speaker: speakerNumber(label) } : {}
  const timed = (one: Timed) => ({
    start: seconds(turnStart + one.Offset / unitsPerSecond),
    end: seconds(turnStart + (one.Offset + one.Duration) / unitsPerSecond),
  })
  const sounds = best.Words ?? []
  const written = best.Display.split(' ')
  const words = sounds.map((word, at): HeardWord => ({
    word: (written.length === sounds.length ? written[at] : undefined) ?? word.Word,
    ...timed(word),
    ...speaker,
  }))
  return {
    type: 'final',
    text: best.Display,
    ...timed(phrase),
    ...(language?.Language && { language: primaryTag(language.Language) }),
    ...speaker,
    words,
  }
}

function refuse(status: string | undefined) {
  const words = `its recognition failed: ${status}`
  if (status === 'TooManyRequests') throw busy(words)
  if (status === 'Error') throw silent(words)
  if (status === 'BadRequest' || status === 'Forbidden') throw refused(words)
}

const seconds = (exact: number) => Math.round(exact * 1_000) / 1_000

import type { HeardWord, Transcript } from '@switchroom/kit/vendor'
import { rounded } from '../foundation/rounding.ts'

/** What a vendor heard, as it is answered. */
export interface Transcribed {
  transcript: Transcript
  /** `provider/model` */
  model: string
  seconds: number
  diarize: boolean
  isTranslated: boolean
}

export const plainAnswer = ({ transcript: { text, language }, seconds }: Transcribed) => ({
  text,
  language,
  duration: rounded(seconds, 3),
})

export function verboseAnswer(heard: Transcribed) {
  const { transcript, model, diarize } = heard
  const speakerOf = (speaker: number | undefined) => (diarize && speaker !== undefined ? { speaker } : {})
  return {
    ...plainAnswer(heard),
    model,
    words: transcript.words.map((said: HeardWord) => ({
      word: said.word,
      ...timesOf(said),
      ...speakerOf(said.speaker),
    })),
    segments: segmentsOf(heard).map((segment, id) => ({
      id,
      ...timesOf(segment),
      text: segment.text,
      ...speakerOf(segment.speaker),
    })),
  }
}

/** Those of the vendor, else one for the whole. */
export function segmentsOf({ transcript: { segments, text }, seconds }: Transcribed): Transcript['segments'] {
  if (segments.length > 0) return segments
  return text === '' ? [] : [{ start: 0, end: seconds, text }]
}

const timesOf = ({ start, end }: { start: number; end: number }) => ({
  start: rounded(start, 3),
  end: rounded(end, 3),
})

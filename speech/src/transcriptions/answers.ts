import type { HeardWord, Transcript } from '@switchroom/kit/vendor'
import { rounded } from '../foundation/rounding.ts'

/** What a vendor heard, as it is answered. */
export interface Transcribed {
  transcript: Transcript
  /** `provider/model` */
  model: string
  seconds: number
  diarize: boolean
}

export const plainAnswer = ({ transcript: { text, language }, seconds }: Transcribed) => ({
  text,
  language,
  duration: rounded(seconds, 3),
})

export function verboseAnswer(heard: Transcribed) {
  const { transcript, model, seconds, diarize } = heard
  const speakerOf = (speaker: number | undefined) => (diarize && speaker !== undefined ? { speaker } : {})
  const whole: Transcript['segments'] =
    transcript.text === '' ? [] : [{ start: 0, end: seconds, text: transcript.text }]
  const segments = transcript.segments.length > 0 ? transcript.segments : whole
  return {
    ...plainAnswer(heard),
    model,
    words: transcript.words.map((said: HeardWord) => ({
      word: said.word,
      ...timesOf(said),
      ...speakerOf(said.speaker),
    })),
    segments: segments.map((segment, id) => ({
      id,
      ...timesOf(segment),
      text: segment.text,
      ...speakerOf(segment.speaker),
    })),
  }
}

const timesOf = ({ start, end }: { start: number; end: number }) => ({
  start: rounded(start, 3),
  end: rounded(end, 3),
})

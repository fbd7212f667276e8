import type { Heard } from '@switchroom/kit/vendor'
import { rounded } from '../foundation/rounding.ts'
import type { LiveArguments } from './live-arguments.ts'

type Final = Extract<Heard, { type: 'final' }>

/** Of the org's own key nothing is billed here. */
export const doneFrame = (requestId: string, seconds: number, isOwn: boolean) => ({
  type: 'done',
  request_id: requestId,
  audio_seconds: rounded(seconds, 3),
  billed_minutes: isOwn ? 0 : rounded(rounded(seconds, 3) / 60, 4),
})

export const readyFrame = (
  requestId: string,
  model: string,
  { sampleRate, encoding, diarize }: LiveArguments,
) => ({
  type: 'ready',
  request_id: requestId,
  model,
  sample_rate: sampleRate,
  encoding,
  diarize,
})

/** What was not heard is left out; the speaker is named only to a client that asked. */
export function finalFrame({ text, start, end, language, speaker, words }: Final, diarize: boolean) {
  const speakerOf = (who: number | undefined) => (diarize && who !== undefined ? { speaker: who } : {})
  return {
    type: 'final',
    text,
    ...(start !== undefined && { start: rounded(start, 3) }),
    ...(end !== undefined && { end: rounded(end, 3) }),
    ...(language !== undefined && { language }),
    ...speakerOf(speaker),
    ...(words && {
      words: words.map((said) => ({
        word: said.word,
        start: rounded(said.start, 3),
        end: rounded(said.end, 3),
        ...speakerOf(said.speaker),
      })),
    }),
  }
}

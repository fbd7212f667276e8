import { speakerNumbers } from '@switchroom/kit/speakers'
import type { HeardWord } from '@switchroom/kit/vendor'

export interface Word {
  word: string
  start: number
  end: number
  punctuated_word?: string
  /** Only with diarization. */
  speaker?: number
}

/** Words as they are written, with speakers numbered across everything one listener hears. */
export function wordReader(): (words: readonly Word[] | undefined) => HeardWord[] {
  const speakerNumber = speakerNumbers()
  return (words = []) =>
    words.map(({ word, punctuated_word: written = word, start, end, speaker }) => ({
      word: written,
      start,
      end,
      ...(speaker !== undefined && { speaker: speakerNumber(speaker) }),
    }))
}

export function speakerOf(words: readonly HeardWord[]): { speaker?: number } {
  const speaker = words[0]?.speaker
  return speaker === undefined ? {} : { speaker }
}

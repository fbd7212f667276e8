import type { HeardWord } from '@switchroom/kit/vendor'

/** What it calls an utterance, live or not; times are in seconds. */
export interface Said {
  text: string
  start: number
  end: number
  language?: string
  speaker?: number
  words?: { word: string; start: number; end: number }[]
}

/** Its words carry their spaces. */
export function wordsOf(
  { words = [], speaker }: Said,
  speakerNumber?: (label: number) => number,
): HeardWord[] {
  return words
    .map(({ word, start, end }) => ({
      word: word.trim(),
      start,
      end,
      ...(speaker !== undefined && speakerNumber && { speaker: speakerNumber(speaker) }),
    }))
    .filter(({ word }) => word !== '')
}

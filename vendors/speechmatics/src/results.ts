import type { HeardWord, Utterance } from '@switchroom/kit/vendor'
import { tagOf } from './languages.ts'

/** A word or a mark of punctuation; times are in seconds. */
export interface Result {
  type: 'word' | 'punctuation' | 'entity'
  start_time: number
  end_time: number
  attaches_to?: 'previous' | 'next' | 'both' | 'none'
  /** It ends a sentence. */
  is_eos?: boolean
  alternatives?: { content: string; language?: string; speaker?: string }[]
}

export interface ResultReader {
  /** What the language writes between words: some write nothing. */
  delimiter: string
  speakerNumber: (label: string) => number
}

export interface SpokenStretch extends Utterance {
  start: number
  end: number
  words: HeardWord[]
}

const unknownSpeaker = 'UU'

/** One stretch for each change of the speaker and, if asked, for each sentence. */
export function stretchesOf(
  results: readonly Result[],
  reader: ResultReader,
  cut: 'speakers' | 'sentences' = 'speakers',
): SpokenStretch[] {
  const stretches: Result[][] = []
  for (const result of results) {
    const last = stretches.at(-1)?.at(-1)
    const isNew = !last || labelOf(last) !== labelOf(result) || (cut === 'sentences' && last.is_eos)
    if (isNew && !isAttached(result)) stretches.push([result])
    else stretches.at(-1)?.push(result)
  }
  return stretches.flatMap((stretch) => stretchOf(stretch, reader) ?? [])
}

const labelOf = ({ alternatives }: Result) => alternatives?.[0]?.speaker

/** Punctuation belongs to the word before it, also if another speaker is named for it. */
const isAttached = ({ attaches_to: to }: Result) => to === 'previous' || to === 'both'

function stretchOf(results: readonly Result[], reader: ResultReader): SpokenStretch | undefined {
  const words = wordsOf(results, reader)
  const [first, last] = [words[0], words.at(-1)]
  if (!first || !last) return undefined
  const language = tagOf(results[0]?.alternatives?.[0]?.language)
  return {
    text: words.map(({ word }) => word).join(reader.delimiter),
    start: first.start,
    end: last.end,
    ...(language !== null && { language }),
    ...(first.speaker !== undefined && { speaker: first.speaker }),
    words,
  }
}

/** Words with the punctuation that belongs to them. */
function wordsOf(results: readonly Result[], { speakerNumber }: ResultReader): HeardWord[] {
  const words: HeardWord[] = []
  let opening = ''
  let isJoined = false
  for (const { attaches_to: to, ...result } of results) {
    const [best] = result.alternatives ?? []
    if (!best) continue
    const last = words.at(-1)
    const isMark = result.type === 'punctuation'
    if (isMark && to === 'next') opening += best.content
    else if (last && (isJoined || isMark)) {
      last.word += to === 'none' ? ` ${best.content}` : opening + best.content
      last.end = Math.max(last.end, result.end_time)
      opening = ''
    } else if (!isMark) {
      const { speaker = unknownSpeaker } = best
      words.push({
        word: opening + best.content,
        start: result.start_time,
        end: result.end_time,
        ...(speaker !== unknownSpeaker && { speaker: speakerNumber(speaker) }),
      })
      opening = ''
    }
    isJoined = isMark && to === 'both'
  }
  return words
}

import type { HeardWord, Utterance } from '@switchroom/kit/vendor'

/** A piece of a word; one that begins a word begins with a space. */
export interface Token {
  text: string
  start_ms?: number
  end_ms?: number
  is_final?: boolean
  speaker?: string | number | null
  language?: string | null
}

/** Each stretch of one speaker, or the whole if speakers are not distinguished. */
export function utterancesOf(
  tokens: readonly Token[],
  speakerNumber: (label: string | number) => number,
): Utterance[] {
  const stretches: Token[][] = []
  for (const token of tokens) {
    const last = stretches.at(-1)
    if (last && last[0]?.speaker === token.speaker) last.push(token)
    else stretches.push([token])
  }
  return stretches.map((stretch) => utteranceOf(stretch, speakerNumber)).filter(({ text }) => text !== '')
}

export const textOf = (tokens: readonly Token[]) =>
  tokens
    .map(({ text }) => text)
    .join('')
    .trim()

function utteranceOf(tokens: readonly Token[], speakerNumber: (label: string | number) => number): Utterance {
  const label = tokens[0]?.speaker
  const speaker = label === undefined || label === null ? {} : { speaker: speakerNumber(label) }
  const words = wordsOf(tokens).map((word): HeardWord => ({ ...word, ...speaker }))
  const [first, last] = [words[0], words.at(-1)]
  const language = languageOf(tokens)
  return {
    text: textOf(tokens),
    ...(first && last && { start: first.start, end: last.end, words }),
    ...(language !== null && { language }),
    ...speaker,
  }
}

function wordsOf(tokens: readonly Token[]): HeardWord[] {
  const words: HeardWord[] = []
  let isBegun = false
  for (const { text, start_ms, end_ms } of tokens) {
    if (/^\s/.test(text)) isBegun = false
    const piece = text.trim()
    const last = words.at(-1)
    const end = (end_ms ?? start_ms ?? 0) / 1_000
    if (piece === '') continue
    if (isBegun && last) Object.assign(last, { word: last.word + piece, end: Math.max(last.end, end) })
    else words.push({ word: piece, start: (start_ms ?? 0) / 1_000, end })
    isBegun = !/\s$/.test(text)
  }
  return words
}

/** The one that most of it is in. */
export function languageOf(tokens: readonly Token[]): string | null {
  const counts = new Map<string, number>()
  for (const { language } of tokens) if (language) counts.set(language, (counts.get(language) ?? 0) + 1)
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? null
}

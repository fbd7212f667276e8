import type { Lexicon } from '@switchroom/contract/settings'
import { folded, tokensOf } from './tokens.ts'

/** Other ways to write what somebody says, by its letters alone: speech-to-text may part a word or join two. */
export type LexiconWords = ReadonlyMap<string, readonly string[]>

/** How many words of a question may be one of a lexicon. */
export const longestPhrase = 4

const lettersOf = (words: string) => tokensOf(words).map(({ text }) => text)
export const phraseOf = (tokens: readonly string[]) => tokens.map(folded).join('')

/** A word and what the voice says for it mean the same; a word that must be heard may be heard in parts. */
export function lexiconWords(lexicons: readonly Lexicon[]): LexiconWords {
  const ways = new Map<string, Set<string>>()
  const add = (members: readonly string[]) => {
    const whole = members.filter((member) => member.trim() !== '')
    for (const member of whole) {
      const phrase = phraseOf(lettersOf(member))
      if (phrase === '') continue
      const known = ways.get(phrase) ?? new Set()
      for (const other of whole) known.add(other)
      ways.set(phrase, known)
    }
  }
  for (const { said, heard } of lexicons) {
    for (const { word, spoken } of said) add([word, spoken])
    for (const word of heard) add([word])
  }
  return new Map([...ways].map(([phrase, members]) => [phrase, [...members]]))
}

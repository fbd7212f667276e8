import { type LexiconWords, longestPhrase, phraseOf } from './lexicon-words.ts'
import type { Stems } from './stems.ts'
import { splitsOf } from './stems.ts'
import { hasCompounds } from './languages.ts'
import { tokensOf } from './tokens.ts'

/** One thing that a query asks for: a word, or what a lexicon knows other ways to write of. */
export interface AskedThing {
  /** Any of these lexemes is it. */
  readonly forms: readonly string[]
  /** All lexemes of any of these are a looser form of it. */
  readonly looser: readonly (readonly string[])[]
  /** Lexemes whose compounds are a looser form too. */
  readonly inCompounds: readonly string[]
}

/** A query may be a thousand characters; more words than these tell nothing more. */
const mostTokens = 64

interface Phrase {
  /** The words of the query. */
  readonly tokens: readonly string[]
  /** Other ways to write them, each in its words. */
  readonly others: readonly (readonly string[])[]
}

/** The things that a query asks for, in the word forms of the base's languages; without words that say nothing. */
export async function thingsAsked(
  stems: Stems,
  languages: readonly string[],
  lexicon: LexiconWords,
  query: string,
): Promise<AskedThing[]> {
  const tokens = [...new Set(tokensOf(query).map(({ text }) => text))].slice(0, mostTokens)
  const phrases = phrasesOf(tokens, lexicon)
  const splits = new Map(
    tokens.map((token) => [token, languages.flatMap((language) => splitsOf(language, token))]),
  )
  const words = new Set([
    ...tokens,
    ...phrases.flatMap(({ others }) => others.flat()),
    ...[...splits.values()].flat().flatMap(({ firsts, last }) => [...firsts, last]),
  ])
  const byLanguage = await Promise.all(languages.map((language) => stems.of(language, words)))
  const formsOf = (token: string) => [...new Set(byLanguage.flatMap((forms) => forms.get(token) ?? []))]
  const areJoined = languages.some(hasCompounds)

  return phrases
    .map(({ tokens: own, others }): AskedThing => {
      const single = [own, ...others].filter((way) => way.length === 1).flat()
      const several = [own, ...others].filter((way) => way.length > 1)
      const parts = own.length === 1 ? (splits.get(own[0] ?? '') ?? []) : []
      const forms = [...new Set(single.flatMap(formsOf))]
      return {
        forms,
        looser: [
          ...several.map((way) => way.flatMap((token) => formsOf(token).slice(0, 1))),
          ...parts.flatMap(({ firsts, last }) => pairsOf(firsts.flatMap(formsOf), formsOf(last))),
        ].filter((all) => all.length > 0),
        inCompounds: areJoined ? forms : [],
      }
    })
    .filter(({ forms, looser }) => forms.length > 0 || looser.length > 0)
}

function pairsOf(firsts: readonly string[], lasts: readonly string[]): string[][] {
  return [...new Set(firsts)].flatMap((first) => lasts.map((last) => [first, last]))
}

/** The longest phrases that the lexicon knows, and single words. */
function phrasesOf(tokens: readonly string[], lexicon: LexiconWords): Phrase[] {
  const phrases: Phrase[] = []
  for (let at = 0; at < tokens.length;) {
    const own = longestKnown(tokens.slice(at, at + longestPhrase), lexicon)
    const others = (lexicon.get(phraseOf(own)) ?? []).map((way) => tokensOf(way).map(({ text }) => text))
    phrases.push({ tokens: own, others: others.filter((way) => way.join(' ') !== own.join(' ')) })
    at += own.length
  }
  return phrases
}

function longestKnown(ahead: readonly string[], lexicon: LexiconWords): readonly string[] {
  for (let length = ahead.length; length > 1; length -= 1) {
    const phrase = ahead.slice(0, length)
    if (lexicon.has(phraseOf(phrase))) return phrase
  }
  return ahead.slice(0, 1)
}

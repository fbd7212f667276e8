import type { Lexicon } from '@switchroom/contract/settings'

// Some scripts put no space between words, so in them, and beside them, a word may begin and end anywhere.
const unspaced = ['Hani', 'Hira', 'Kana', 'Thai', 'Laoo', 'Khmr', 'Mymr'].map(
  (script) => `\\p{scx=${script}}`,
)
const ofSpacedWord = `[[\\p{L}\\p{M}\\p{N}_]--[${unspaced.join('')}]]`

/** Two words that a text cannot tell apart have one form. */
export const wordForm = (word: string) => word.normalize('NFC').replace(/\s+/gu, ' ').toLowerCase()

const patternOf = (word: string) =>
  word
    .split(/\s+/u)
    .map((part) => RegExp.escape(part))
    .join('\\s+')

/** Puts what the voice says in place of words: whole ones, without case, the longest first, each place once. */
export function spokenWith(said: Lexicon['said']): (text: string) => string {
  if (said.length === 0) return (text) => text
  const spokenFor = new Map(said.map(({ word, spoken }) => [wordForm(word), spoken]))
  const words = said
    .map(({ word }) => word.normalize('NFC'))
    .toSorted((a, b) => b.length - a.length)
    .map(patternOf)
  const anyWord = new RegExp(`(?<!${ofSpacedWord})(?:${words.join('|')})(?!${ofSpacedWord})`, 'giv')
  // A form may be missing: without case an expression takes 'ſ' for 's', and their forms differ.
  const spokenOf = (found: string) => spokenFor.get(wordForm(found)) ?? found
  return (text) => text.normalize('NFC').replace(anyWord, spokenOf)
}

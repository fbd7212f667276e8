import type { Lexicon } from '@switchroom/contract/settings'
import { WordFinder } from '@switchroom/session/word-finder'

// Some scripts put no space between words, so in them, and beside them, a word may begin and end anywhere.
const ofSpacedWord =
  /[[\p{L}\p{M}\p{N}_]--[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]]/v

/** Two words that a text cannot distinguish have one form. */
export const wordForm = (word: string) => word.normalize('NFC').replace(/\s+/gu, ' ').toLowerCase()

/** Puts what the voice says in place of words: whole ones, without case, the longest first, each place once. */
export function spokenWith(said: Lexicon['said']): (text: string) => string {
  if (said.length === 0) return (text) => text
  const spokenFor = new Map(said.map(({ word, spoken }) => [wordForm(word), spoken]))
  const words = said.map(({ word }) => ({ word: word.normalize('NFC') }))
  const finder = new WordFinder(words, (char) => ofSpacedWord.test(char))
  // A form may be missing: without case a finder takes 'ſ' for 's', and their forms differ.
  const spokenOf = (found: string) => spokenFor.get(wordForm(found)) ?? found
  return (text) => {
    const normal = text.normalize('NFC')
    let at = 0
    const pieces = finder.find(normal).map(({ from, to }) => {
      const piece = normal.slice(at, from) + spokenOf(normal.slice(from, to))
      at = to
      return piece
    })
    return pieces.join('') + normal.slice(at)
  }
}

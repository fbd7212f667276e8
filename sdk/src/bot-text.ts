// Written without spaces between words.
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u
const closesWord = /^[\p{Pe}\p{Pf}.,;:!?%…。、，！？]/u
const opensWord = /[\p{Ps}\p{Pi}¿¡]$/u

/** The words with one more, as a person would write them; a word that brings its own space keeps it. */
export function joined(words: string, word: string): string {
  const isApart = words === '' || /\s$/u.test(words) || /^\s/u.test(word)
  const isTight = closesWord.test(word) || opensWord.test(words)
  const hasNoSpaces = unspaced.test(words.slice(-1)) && unspaced.test(word.slice(0, 1))
  return isApart || isTight || hasNoSpaces ? words + word : `${words} ${word}`
}

import { codePoints } from '../../foundation/text.ts'

/** A word of a text, or two neighbouring letters of a script that puts no space between words. */
export interface Token {
  readonly text: string
  /** Where it is in the text, as JavaScript counts. */
  readonly from: number
  readonly to: number
}

const word = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu
const spaceless =
  /[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]+/gu
const foldable = /^[\p{scx=Latin}\p{scx=Greek}\p{scx=Cyrillic}\p{scx=Arabic}\p{scx=Hebrew}\p{N}]+$/u
const longestToken = 60
const undecomposed: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
  þ: 'th',
  ð: 'd', // prettier-ignore
}

const normal = (text: string) =>
  codePoints(text.normalize('NFKC').toLowerCase()).slice(0, longestToken).join('')

/** In their order; what hyphens join also comes as one word. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  let previous: Token | undefined
  for (const { 0: found, index } of text.matchAll(word)) {
    const own = pieces(found, index)
    tokens.push(...own)
    const [first] = own
    const isJoined = previous && first && own.length === 1 && first.from - previous.to === 1
    if (isJoined && previous && first && text[previous.to] === '-')
      tokens.push({ text: normal(previous.text + first.text), from: previous.from, to: first.to })
    previous = own.length === 1 ? first : undefined
  }
  return tokens
}

function pieces(found: string, at: number): Token[] {
  const tokens: Token[] = []
  let done = 0
  const spaced = (to: number) => {
    if (to > done) tokens.push({ text: normal(found.slice(done, to)), from: at + done, to: at + to })
  }
  for (const { 0: run, index } of found.matchAll(spaceless)) {
    spaced(index)
    tokens.push(...pairs(run, at + index))
    done = index + run.length
  }
  spaced(found.length)
  return tokens
}

/** Every two neighbours, or the one that is alone. */
function pairs(run: string, at: number): Token[] {
  const letters = codePoints(run)
  if (letters.length === 1) return [{ text: normal(run), from: at, to: at + run.length }]
  let from = at
  return letters.slice(1).map((next, place) => {
    const first = letters[place] ?? ''
    const token = { text: normal(first + next), from, to: from + first.length + next.length }
    from += first.length
    return token
  })
}

/** Without accents and the like, where a script has them beside its letters. */
export const folded = (token: string) =>
  foldable.test(token)
    ? token
        .replace(/[ßøłđæœıþð]/gu, (letter) => undecomposed[letter] ?? letter)
        .normalize('NFD')
        .replace(/\p{Mn}/gu, '')
    : token

/** German writes ä, ö and ü also as ae, oe and ue. */
export const withUmlauts = (token: string) =>
  token
    .replace(/ae/g, 'ä')
    .replace(/oe/g, 'ö')
    .replace(/(?<![aeqä])ue/g, 'ü')

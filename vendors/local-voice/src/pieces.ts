/** Longer pieces would hold up the other requests and a cancel: espeak cannot be interrupted in one. */
const mostCharacters = 120
/** A clause that ends before this stays with the next one. */
const fewestCharacters = 30

export interface Piece {
  text: string
  /** The rest after it at the usual speed; espeak itself rests only inside a text. */
  restMs: number
  /** Whether its last word continues in the next piece. */
  isBroken: boolean
}

const afterSentence = 320
const afterClause = 180
const afterParagraph = 520

// A period after at most three letters is more often an abbreviation than the end of a sentence.
const sentenceEnd =
  /(?:(?<=[\p{L}\p{N}]{4})\.|(?<=[\p{N}\p{P}])\.(?=\s+\p{Lu})|[!?…]+)["'”’»)\]]*(?=\s)|[。！？]+|\n\s*\n/gu
const clauseEnd = /[,;:，、；：](?=\s|\p{Script=Han})|\s[–—-](?=\s)/gu

/** A text in the order it is spoken, cut where a speaker would rest. Joined they are the text. */
export function* piecesOf(text: string): Iterable<Piece> {
  let rest = text
  while (rest.length > 0) {
    const end = endOfPiece(rest)
    const piece = rest.slice(0, end)
    rest = rest.slice(end)
    if (!/\S/u.test(piece)) continue
    const restMs = /\S/u.test(rest) ? restAfter(piece) : 0
    yield { text: piece, restMs, isBroken: /^\S/u.test(rest) && /\S$/u.test(piece) }
  }
}

function endOfPiece(text: string): number {
  const within = text.slice(0, mostCharacters)
  const sentence = firstEnd(within, sentenceEnd)
  if (sentence !== undefined) return sentence
  if (within === text) return text.length
  const clause = lastEnd(within, clauseEnd)
  if (clause >= fewestCharacters) return clause
  const space = within.search(/\s\S*$/u)
  return space > 0 ? space : wholeCharacters(text, mostCharacters)
}

function firstEnd(text: string, ending: RegExp): number | undefined {
  for (const found of text.matchAll(ending)) return found.index + found[0].length
  return undefined
}

function lastEnd(text: string, ending: RegExp): number {
  const last = [...text.matchAll(ending)].at(-1)
  return last ? last.index + last[0].length : 0
}

/** Not between the two halves of a character. */
const wholeCharacters = (text: string, end: number) => (text.slice(0, end).isWellFormed() ? end : end + 1)

function restAfter(piece: string): number {
  if (/\n\s*\n$/u.test(piece)) return afterParagraph
  if (/[.!?…。！？]["'”’»)\]]*$/u.test(piece)) return afterSentence
  return /[,;:，、；：–—-]$/u.test(piece) ? afterClause : 0
}

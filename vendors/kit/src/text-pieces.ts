const sentenceEnds = /[.!?…]\s+|[。！？]\s*/gu
const wordEnds = /\s+/gu

/** A text in pieces of at most so many characters, cut after a sentence, else between words. */
export function textPieces(text: string, most: number): string[] {
  const pieces: string[] = []
  let rest = text.trim()
  while (rest.length > most) {
    const within = rest.slice(0, most)
    const cut = lastEnd(within, sentenceEnds) ?? lastEnd(within, wordEnds) ?? wholeCharacters(within)
    pieces.push(rest.slice(0, cut).trim())
    rest = rest.slice(cut).trim()
  }
  return [...pieces, rest]
}

function lastEnd(text: string, pattern: RegExp): number | undefined {
  const found = [...text.matchAll(pattern)].at(-1)
  return found && found.index + found[0].length
}

/** One less if the last character would be cut in half. */
const wholeCharacters = (text: string) => text.length - (/[\uD800-\uDBFF]$/.test(text) ? 1 : 0)

import type { Lexicon } from '@switchroom/contract/settings'

/** What a voice is given in place of a text. */
export interface SaidText {
  text: string
  /** How far into the text itself the said one reaches up to this place. */
  reaches: (place: number) => number
}

/** Marks that are written for the eye: no voice says them. */
const unspeakable = String.raw`\*+|\x60+|^#+ |\p{Extended_Pictographic}\uFE0F?`

/** Puts what the lexicon says in place of its words, and leaves out what cannot be said. */
export function sayingWith(said: Lexicon['said']): (text: string) => SaidText {
  const saidFor = new Map(said.map(({ word, spoken }) => [word.toLowerCase(), spoken]))
  const words = [...saidFor.keys()].toSorted((a, b) => b.length - a.length).map((word) => RegExp.escape(word))
  const lexicon =
    words.length === 0 ? [] : [String.raw`(?<![\p{L}\p{N}])(?:${words.join('|')})(?![\p{L}\p{N}])`]
  const pattern = new RegExp([...lexicon, unspeakable].join('|'), 'gimu')
  return (text) => replaced(text, pattern, (found) => saidFor.get(found.toLowerCase()) ?? '')
}

function replaced(text: string, pattern: RegExp, replacement: (found: string) => string): SaidText {
  const changes: { from: number; to: number; saidFrom: number; saidTo: number }[] = []
  let said = ''
  let at = 0
  for (const found of text.matchAll(pattern)) {
    said += text.slice(at, found.index)
    const saidFrom = said.length
    said += replacement(found[0])
    at = found.index + found[0].length
    changes.push({ from: found.index, to: at, saidFrom, saidTo: said.length })
  }
  said += text.slice(at)
  const reaches = (place: number) => {
    const last = changes.findLast(({ saidFrom }) => saidFrom < place)
    if (!last) return place
    return place < last.saidTo ? last.from : last.to + place - last.saidTo
  }
  return { text: said, reaches }
}

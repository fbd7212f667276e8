import type { Lexicon } from '@switchroom/contract/settings'
import { WordFinder } from '../word-finder.ts'

/** What a voice is given in place of a text. */
export interface SaidText {
  text: string
  /** How far into the text itself the said one reaches up to this place. */
  reaches: (place: number) => number
}

/** Marks that are written for the eye: no voice says them. */
const unspeakable = /\*+|`+|^#+ |\p{Extended_Pictographic}\uFE0F?/gmu

interface Change {
  from: number
  to: number
  spoken: string
}

/** Puts what the lexicon says in place of its words, and leaves out what cannot be said. */
export function sayingWith(said: Lexicon['said']): (text: string) => SaidText {
  const finder = new WordFinder(said, (char) => /[\p{L}\p{N}]/u.test(char))
  return (text) => {
    const words = finder.find(text).map(({ from, to, entry }) => ({ from, to, spoken: entry.spoken }))
    const marks = [...text.matchAll(unspeakable)].map(({ index, 0: mark }) => ({
      from: index,
      to: index + mark.length,
      spoken: '',
    }))
    // of a word and a mark that begin at one place the word comes first
    return replaced(
      text,
      [...words, ...marks].toSorted((a, b) => a.from - b.from),
    )
  }
}

function replaced(text: string, wanted: readonly Change[]): SaidText {
  const changes: { from: number; to: number; saidFrom: number; saidTo: number }[] = []
  let said = ''
  let at = 0
  for (const { from, to, spoken } of wanted) {
    if (from < at) continue // within what was replaced already
    said += text.slice(at, from)
    const saidFrom = said.length
    said += spoken
    at = to
    changes.push({ from, to, saidFrom, saidTo: said.length })
  }
  said += text.slice(at)
  const reaches = (place: number) => {
    const last = changes.findLast(({ saidFrom }) => saidFrom < place)
    if (!last) return place
    return place < last.saidTo ? last.from : last.to + place - last.saidTo
  }
  return { text: said, reaches }
}

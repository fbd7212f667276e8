/** A word that was found, and where. */
export interface Found<Entry> {
  from: number
  to: number
  entry: Entry
}

interface Branch<Entry> {
  readonly next: Map<string, Branch<Entry>>
  entry?: Entry
}

const newBranch = <Entry>(): Branch<Entry> => ({ next: new Map() })

/** Letters of any case are one, and so are blanks however many. */
function folded(char: string): string {
  if (/\s/u.test(char)) return ' '
  const upper = char.toUpperCase()
  return Array.from(upper).length === 1 ? upper.toLowerCase() : char.toLowerCase()
}

/** Finds words of a list in a text: whole, without case, the longest first, each place once. */
export class WordFinder<Entry extends { word: string }> {
  readonly #root = newBranch<Entry>()
  readonly #isOfWord: (char: string) => boolean

  /** `isOfWord`: whether a word beside this letter is only a part of one. */
  constructor(entries: readonly Entry[], isOfWord: (char: string) => boolean) {
    this.#isOfWord = isOfWord
    for (const entry of entries) this.#add(entry)
  }

  /** In time that grows with the text and the longest word alone. */
  find(text: string): Found<Entry>[] {
    const chars = Array.from(text)
    const found: Found<Entry>[] = []
    let from = 0
    for (let n = 0; n < chars.length;) {
      const match = this.#isBeside(chars[n - 1]) ? undefined : this.#longestAt(chars, n)
      const end = match?.end ?? n + 1
      const to = from + lengthOf(chars, n, end)
      if (match) found.push({ from, to, entry: match.entry })
      from = to
      n = end
    }
    return found
  }

  #add(entry: Entry) {
    let branch = this.#root
    for (const char of entry.word.trim().replaceAll(/\s+/gu, ' ')) {
      const next = branch.next.get(folded(char)) ?? newBranch<Entry>()
      branch.next.set(folded(char), next)
      branch = next
    }
    if (branch !== this.#root) branch.entry = entry
  }

  #longestAt(chars: readonly string[], start: number): { end: number; entry: Entry } | undefined {
    let longest: { end: number; entry: Entry } | undefined
    let branch: Branch<Entry> | undefined = this.#root
    for (let n = start; branch && n < chars.length;) {
      const char = folded(chars[n] ?? '')
      branch = branch.next.get(char)
      n += 1
      if (branch && char === ' ') while (n < chars.length && folded(chars[n] ?? '') === ' ') n += 1
      if (branch?.entry && !this.#isBeside(chars[n])) longest = { end: n, entry: branch.entry }
    }
    return longest
  }

  #isBeside(char: string | undefined): boolean {
    return char !== undefined && this.#isOfWord(char)
  }
}

function lengthOf(chars: readonly string[], from: number, to: number): number {
  let length = 0
  for (let n = from; n < to; n += 1) length += chars[n]?.length ?? 0
  return length
}

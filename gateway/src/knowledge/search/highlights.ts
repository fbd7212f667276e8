import type { AskedThing } from './asked-things.ts'
import type { Stems } from './stems.ts'
import { tokensOf } from './tokens.ts'

export type Highlight = [from: number, to: number]

/** Where the words of a query are in a text, in their order; neighbours that touch are one. */
export async function highlightsIn(
  stems: Stems,
  languages: readonly string[],
  things: readonly AskedThing[],
  texts: readonly string[],
): Promise<Highlight[][]> {
  const tokens = texts.map(tokensOf)
  const words = new Set(tokens.flatMap((of) => of.map(({ text }) => text)))
  const wanted = new Set(things.flatMap(({ forms, looser }) => [...forms, ...looser.flat()]))
  const byLanguage = await Promise.all(languages.map((language) => stems.of(language, words)))
  const isWanted = (token: string) =>
    byLanguage.some((forms) => forms.get(token)?.some((form) => wanted.has(form)))
  return tokens.map((of) => joined(of.filter(({ text }) => isWanted(text))))
}

function joined(tokens: readonly { from: number; to: number }[]): Highlight[] {
  const marks: Highlight[] = []
  for (const { from, to } of tokens.toSorted((a, b) => a.from - b.from)) {
    const last = marks.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else marks.push([from, to])
  }
  return marks
}

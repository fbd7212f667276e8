import { declarableNames, type DeclarableName } from '@switchroom/contract/knobs'
import { declarableHalves, type DeclarableHalf, type Lexicon } from '@switchroom/contract/settings'
import type { Declared } from './layers.ts'

/** What the class that holds an agent says of itself, and the app that brought it. */
export interface Declaration {
  app: string
  declared: Declared
  says?: Lexicon['said']
  hears?: Lexicon['heard']
}

/** The names no set may change while the class holds the agent. */
export const fixedBy = (declaration: Declaration | null): DeclarableName[] =>
  declarableNames.filter((name) => declaration !== null && name in declaration.declared)

/** The class wins for the half that it declares; a lexicon that nobody set is empty. */
export const lexiconUnder = (declaration: Declaration | null, set: Lexicon | null | undefined): Lexicon => ({
  said: declaration?.says ?? set?.said ?? [],
  heard: declaration?.hears ?? set?.heard ?? [],
})

/** The halves of the lexicon that the class declares. */
export const halvesFixedBy = (declaration: Declaration | null): DeclarableHalf[] =>
  declarableHalves.filter((half) => declaration?.[half] !== undefined)

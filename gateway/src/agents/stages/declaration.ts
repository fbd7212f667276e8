import { declarableNames, type DeclarableName } from '@switchroom/contract/knobs'
import { declarableHalves, type DeclarableHalf, type Lexicon } from '@switchroom/contract/settings'
import type { Declared } from './layers.ts'

/** What the class of an agent declares in code, and the app that registered it. */
export interface Declaration {
  app: string
  declared: Declared
  says?: Lexicon['said']
  hears?: Lexicon['heard']
}

/** The names that settings cannot change while the app is connected. */
export const fixedBy = (declaration: Declaration | null): DeclarableName[] =>
  declarableNames.filter((name) => declaration !== null && name in declaration.declared)

/** The class decides the half that it declares; a lexicon that is not set is empty. */
export const lexiconUnder = (declaration: Declaration | null, set: Lexicon | null | undefined): Lexicon => ({
  said: declaration?.says ?? set?.said ?? [],
  heard: declaration?.hears ?? set?.heard ?? [],
})

/** The halves of the lexicon that the class declares. */
export const halvesFixedBy = (declaration: Declaration | null): DeclarableHalf[] =>
  declarableHalves.filter((half) => declaration?.[half] !== undefined)

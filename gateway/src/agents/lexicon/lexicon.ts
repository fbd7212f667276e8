import { isDeepStrictEqual } from 'node:util'
import type {
  DeclarableHalf,
  HistoryAsked,
  Lexicon,
  LexiconHistory,
  LexiconRow,
  LexiconView,
  SetLexicon,
} from '@switchroom/contract/settings'
import type { Environment } from '@switchroom/contract/scopes'
import type { Queryable } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { conflict } from '../../foundation/refusals.ts'
import { halvesFixedBy, type Declaration } from '../stages/declaration.ts'
import { scopeOf, teamFlag, type SettingsScope } from '../scope.ts'
import { noteOf, type VersionRow, type Versions } from '../versions/versions.ts'
import { readLexicon } from './lexicon-shape.ts'
import { newestLexicons } from './org-lexicons.store.ts'

const halfOf = { says: 'said', hears: 'heard' } as const satisfies Record<DeclarableHalf, keyof Lexicon>

/** How an agent's voice says words and which ones its ears must know, set and versioned as its settings are. */
export class Lexicons {
  readonly #versions: Versions<Lexicon>
  readonly #declarationFor: (scope: SettingsScope) => Promise<Declaration | null>

  constructor(
    versions: Versions<Lexicon>,
    declarationFor: (scope: SettingsScope) => Promise<Declaration | null>,
  ) {
    this.#versions = versions
    this.#declarationFor = declarationFor
  }

  async read(caller: Caller, agent: string): Promise<LexiconView> {
    const [{ yours, team, production }, declaration] = await Promise.all([
      this.#versions.three(caller, agent),
      this.#declarationFor(scopeOf(caller, agent)),
    ])
    return {
      world: caller.env,
      yours: yours && rowOf(yours),
      team: team && rowOf(team),
      production: production && rowOf(production),
      fixed: halvesFixedBy(declaration),
    }
  }

  /** Of all agents of the org: what its documents and its callers name differently. */
  async ofOrg(database: Queryable, org: string, env: Environment): Promise<Lexicon[]> {
    return (await newestLexicons(database, org, env)).map(({ content }) => content)
  }

  async set(caller: Caller, agent: string, wanted: SetLexicon): Promise<LexiconView> {
    const note = noteOf(wanted.note)
    const lexicon = readLexicon(wanted.lexicon)
    const scope = scopeOf(caller, agent, wanted.team)
    const declaration = await this.#declarationFor(scopeOf(caller, agent))
    if (declaration) await this.#refuseChangeOfDeclared(declaration, scope, lexicon)
    await this.#versions.add(caller, scope, wanted.if_version, { content: lexicon, note })
    return this.read(caller, agent)
  }

  async history(caller: Caller, agent: string, { team, limit }: HistoryAsked): Promise<LexiconHistory> {
    const scope = scopeOf(caller, agent, teamFlag(team))
    const versions = await this.#versions.history(scope, limit)
    return { world: scope.env, holder: scope.holder, versions: versions.map(rowOf) }
  }

  /** The class wins for a half that it declares, so no set may change that half; the other one is free. */
  async #refuseChangeOfDeclared(declaration: Declaration, scope: SettingsScope, sent: Lexicon) {
    const standing = (await this.#versions.newest(scope))?.content ?? { said: [], heard: [] }
    const changed = halvesFixedBy(declaration).filter(
      (half) => !isDeepStrictEqual(sent[halfOf[half]], standing[halfOf[half]]),
    )
    if (changed.length > 0)
      throw conflict(`${changed.join(', ')} set by the class of ${declaration.app}`).as('SET_IN_CODE')
  }
}

const rowOf = ({ content, ...row }: VersionRow<Lexicon>): LexiconRow => ({ ...row, lexicon: content })

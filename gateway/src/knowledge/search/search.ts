import type { Environment } from '@switchroom/contract/scopes'
import { untilAborted } from '@switchroom/kit/until-aborted'
import type { Queryable } from '../../database/database.ts'
import type { Lexicons } from '../../agents/lexicon/lexicon.ts'
import { notFound } from '../../foundation/refusals.ts'
import type { Found, KnowledgeSearch, SearchReach, SearchTerms } from '../passages.ts'
import { highlightsIn, type Highlight } from './highlights.ts'
import { thingsAsked, type AskedThing } from './asked-things.ts'
import { languageOf } from './languages.ts'
import { lexiconWords, type LexiconWords } from './lexicon-words.ts'
import { lookUps } from './look-ups.ts'
import * as store from './search.store.ts'
import type { Stems } from './stems.ts'

/** A base that mixes more languages is searched in its most frequent ones. */
const mostLanguages = 3
const mostOrgs = 1_000

export interface SearchParts {
  stems: Stems
  lexicons: Pick<Lexicons, 'ofOrg'>
}

/** What the searches of a gateway share: the lexicons of the orgs that search, as long as no settings of theirs change. */
export class SearchMemory {
  readonly #parts: SearchParts
  readonly #lexicons = new Map<string, { epoch: number; words: LexiconWords }>()

  constructor(parts: SearchParts) {
    this.#parts = parts
  }

  get stems() {
    return this.#parts.stems
  }

  async lexiconOf(database: Queryable, org: string, env: Environment, epoch: number): Promise<LexiconWords> {
    const key = `${org} ${env}`
    const kept = this.#lexicons.get(key)
    if (kept?.epoch === epoch) return kept.words
    const words = lexiconWords(await this.#parts.lexicons.ofOrg(database, org, env))
    this.#lexicons.delete(key)
    this.#lexicons.set(key, { epoch, words })
    const [oldest] = this.#lexicons.keys()
    if (this.#lexicons.size > mostOrgs && oldest !== undefined) this.#lexicons.delete(oldest)
    return words
  }
}

export interface MarkedFound extends Found {
  readonly highlights: readonly Highlight[][]
}

/** Who asked waits no longer. A statement under way ends by itself: each is bounded, and to cancel one takes as long. */
const leftWhenAborted = <T>(looking: Promise<T>, signal: AbortSignal | undefined) =>
  signal ? untilAborted(looking, signal) : looking

/** Searches bases, over the connections that it is given: a call never waits for what people search. */
export class BaseSearch implements KnowledgeSearch {
  readonly #database: Queryable
  readonly #memory: SearchMemory

  constructor(database: Queryable, memory: SearchMemory) {
    this.#database = database
    this.#memory = memory
  }

  async search(reach: SearchReach, name: string, terms: SearchTerms): Promise<Found> {
    const looking = this.#look(reach, name, terms)
    return (await leftWhenAborted(looking, terms.signal)).found
  }

  /** With the places in each passage where the words of the query are. */
  async searchMarked(reach: SearchReach, name: string, terms: SearchTerms): Promise<MarkedFound> {
    const looking = this.#look(reach, name, terms)
    const { base, things, found } = await leftWhenAborted(looking, terms.signal)
    const texts = found.passages.map(({ text }) => text)
    const highlights = await highlightsIn(this.#memory.stems, languagesOf(base), things, texts)
    return { ...found, highlights }
  }

  async #look(reach: SearchReach, name: string, terms: SearchTerms) {
    const started = performance.now()
    const base = await this.#find(reach, name)
    const { k, minScore, signal } = terms
    signal?.throwIfAborted()
    const things = await this.#things(base, terms.query)
    signal?.throwIfAborted()
    const ranked = await this.#rank(base, things, terms)
    const distinct = [...new Map(ranked.toReversed().map((row) => [row.digest, row])).values()].toReversed()
    const passages = distinct
      .filter(({ score }) => score >= minScore)
      .slice(0, k)
      .map((row) => passageOf(base.base, row))
    const bestScore = distinct[0]?.score ?? null
    const found: Found = { passages, bestScore, by: 'words', ms: performance.now() - started }
    return { base, things, found }
  }

  async #find(reach: SearchReach, name: string): Promise<store.BaseRow> {
    const base = await store.findBase(this.#database, reach, name)
    if (!base) throw notFound(`there is no base ${name}`)
    return base
  }

  async #things(base: store.BaseRow, query: string): Promise<AskedThing[]> {
    const languages = languagesOf(base)
    if (base.languages.length === 0) return []
    const lexicon = await this.#memory.lexiconOf(this.#database, base.org, base.env, base.epoch)
    return thingsAsked(this.#memory.stems, languages, lexicon, query)
  }

  async #rank(
    base: store.BaseRow,
    things: readonly AskedThing[],
    { k, signal }: SearchTerms,
  ): Promise<store.PassageRow[]> {
    if (things.length === 0) return []
    const chunks = base.languages.reduce((sum, language) => sum + language.chunks, 0)
    const lexemes = things.flatMap(({ forms, looser }) => [...forms, ...looser.flat()])
    const parts = things.flatMap(({ inCompounds }) => inCompounds).filter((form) => form.length >= 4)
    const known = [...new Set(lexemes)].flatMap((form) => [form, `^${form}`])
    const terms = await store.findTerms(this.#database, base.number, known, parts)
    const having = new Map(terms.map((of) => [of.term, of.chunks]))
    const compounds = new Map<string, string[]>()
    for (const { part, term } of terms)
      if (part !== null) compounds.set(part, [...(compounds.get(part) ?? []), term])
    const wanted = lookUps(base.number, chunks, things, having, compounds)
    if (!wanted) return []
    signal?.throwIfAborted()
    const words = base.languages.reduce((sum, language) => sum + language.words, 0)
    return store.rankPassages(this.#database, base, wanted, words / chunks, k * 2 + 10)
  }
}

const passageOf = (base: string, { chunk, document, name, heading, text, score }: store.PassageRow) => ({
  chunk,
  base,
  document,
  name,
  heading,
  text,
  score,
})

/** The base's own, or those of its documents. */
function languagesOf({ language, languages }: store.BaseRow): string[] {
  const found = languages.map((of) => of.language).slice(0, mostLanguages)
  if (language === null) return found
  return [...new Set([languageOf(language), ...found])].slice(0, mostLanguages)
}

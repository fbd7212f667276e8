import type { Queryable } from '../../database/database.ts'
import { dictionaryOf, hasCompounds } from './languages.ts'
import * as store from './stems.store.ts'
import { folded, withUmlauts } from './tokens.ts'

const mostKept = 50_000
const askedAtOnce = 5_000

/** By what forms full text finds each word of a language; PostgreSQL's dictionaries know, and few words are asked twice. */
export class Stems {
  readonly #database: Queryable
  readonly #kept = new Map<string, readonly string[]>()

  constructor(database: Queryable) {
    this.#database = database
  }

  /** No form for words that say nothing, such as `the`. */
  async of(language: string, tokens: Iterable<string>): Promise<ReadonlyMap<string, readonly string[]>> {
    const stems = new Map<string, readonly string[]>()
    const unknown = new Set<string>()
    for (const token of tokens) {
      const kept = this.#kept.get(keyOf(language, token))
      if (kept) stems.set(token, kept)
      else unknown.add(token)
    }
    const asked = [...unknown]
    for (let at = 0; at < asked.length; at += askedAtOnce)
      for (const [token, forms] of await this.#ask(language, asked.slice(at, at + askedAtOnce))) {
        stems.set(token, forms)
        this.#keep(keyOf(language, token), forms)
      }
    return stems
  }

  async #ask(language: string, tokens: readonly string[]): Promise<[string, string[]][]> {
    const variants = new Map(tokens.map((token) => [token, variantsOf(language, token)]))
    const words = [...new Set([...variants.values()].flat())]
    const rows = await store.findStems(this.#database, dictionaryOf(language), words)
    const stemOf = new Map(rows.map(({ word, stems }) => [word, stems]))
    return [...variants].map(([token, forms]) => [
      token,
      [...new Set(forms.flatMap((form) => (stemOf.get(form) ?? []).map(folded)))],
    ])
  }

  #keep(key: string, forms: readonly string[]) {
    if (this.#kept.size >= mostKept) {
      const [oldest] = this.#kept.keys()
      if (oldest !== undefined) this.#kept.delete(oldest)
    }
    this.#kept.set(key, forms)
  }
}

const keyOf = (language: string, token: string) => `${language} ${token}`

/** As it is written and without its accents, because people and speech-to-text leave them out. */
function variantsOf(language: string, token: string): string[] {
  if (language === 'de') return [withUmlauts(token)]
  return [...new Set([token, folded(token)])]
}

const joints = ['', 's', 'n', 'en', 'es', 'er', 'e']
const shortestPart = 4

/** How a long word may be two that are written together: what its first may be, and its last. */
export function splitsOf(language: string, token: string): { firsts: string[]; last: string }[] {
  if (!hasCompounds(language) || token.length < 2 * shortestPart + 1 || token.length > 40) return []
  const splits: { firsts: string[]; last: string }[] = []
  for (let at = shortestPart; at <= token.length - shortestPart; at += 1) {
    const first = token.slice(0, at)
    const firsts = joints
      .filter((joint) => first.endsWith(joint) && at - joint.length >= shortestPart)
      .map((joint) => first.slice(0, at - joint.length))
    splits.push({ firsts, last: token.slice(at) })
  }
  return splits
}

import type { Queryable } from '../../database/database.ts'
import * as before from './entry-search.store.ts'
import * as store from './search.store.ts'
import { listing, listSessions, type ListedSession, type Wanted } from './sessions.store.ts'

export type { Sought } from './search.store.ts'

/** How many of the newest calls are looked into for each listed one. */
const searchedForOne = 4
/** An org runs fewer calls at once. */
const mostGoing = 10_000

/** Finds calls by what was said in them, by their numbers and ids, newest first, reading no other org's. */
export class CallSearch {
  readonly #database: Queryable
  /** Whether the words of every call are in the table for them. */
  readonly #isFilled: () => Promise<boolean>

  constructor(database: Queryable, isFilled: () => Promise<boolean>) {
    this.#database = database
    this.#isFilled = isFilled
  }

  /** Those of a period that an index does not lead to. */
  filter(wanted: Wanted, limit: number): Promise<ListedSession[]> {
    return listSessions(this.#database, listing(wanted, limit))
  }

  /** Common words are found in the newest calls; only rarer words are worth the index. */
  async find(wanted: Wanted, sought: store.Sought, limit: number): Promise<ListedSession[]> {
    const isFilled = await this.#isFilled()
    const isGoing = wanted.state === 'open' || wanted.state === 'held'
    const searched = isGoing ? mostGoing : limit * searchedForOne
    const searchOfNewest = isFilled ? store.searchOfNewest : before.searchOfNewestEntries
    const found = await listSessions(this.#database, searchOfNewest(wanted, sought, limit, searched))
    if (found.length === limit) return found
    const older = await store.spanPast(this.#database, wanted, searched)
    if (!older) return found
    if (!isFilled) return listSessions(this.#database, before.searchOfAllEntries(wanted, sought, limit))
    return [...found, ...(await this.#findOlder(wanted, older, sought, limit - found.length))]
  }

  async #findOlder(wanted: Wanted, span: store.Span, sought: store.Sought, limit: number) {
    const older = { ...wanted, before: span.newest + 1 }
    const byRecord = await listSessions(this.#database, store.searchOfRecords(older, sought, limit))
    const byWords = await this.#findWords(older, span, sought.words, limit)
    const found = new Map([...byRecord, ...byWords].map((session) => [session.ordinal, session]))
    return [...found.values()].toSorted((a, b) => b.ordinal - a.ordinal).slice(0, limit)
  }

  /** Shelf by shelf from the newest, twice as many at a time as long as too little is found. */
  async #findWords(wanted: Wanted, { newest, oldest }: store.Span, words: string, limit: number) {
    const found: ListedSession[] = []
    let [top, shelves] = [store.shelfOf(newest), 1]
    while (top >= store.shelfOf(oldest) && found.length < limit) {
      const shelf = { newest: top, oldest: Math.max(top - shelves + 1, store.shelfOf(oldest)) }
      const search = store.searchOfShelves(wanted, words, shelf, limit - found.length)
      found.push(...(await listSessions(this.#database, search)))
      top -= shelves
      shelves *= 2
    }
    return found
  }
}

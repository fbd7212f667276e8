import { longestQuery, mostPassages } from '@switchroom/contract/knowledge-names'
import type { SearchAnswer, SearchBase } from '@switchroom/contract/knowledge'
import type { Caller } from '../../foundation/caller.ts'
import { badRequest } from '../../foundation/refusals.ts'
import type { SlowRequests } from '../../http/slow-requests.ts'
import type { SearchReach } from '../passages.ts'
import type { BaseSearch } from './search.ts'

const usualPassages = 5

/** The part of an org's bases that a caller may search. */
export const reachOf = ({ org, env, agents }: Caller): SearchReach => ({
  org,
  env,
  agents: agents.length === 0 ? null : agents,
})

/** Searches that people and programs ask for; those of calls do not wait for them. */
export class AskedSearches {
  readonly #search: BaseSearch
  readonly #slow: SlowRequests

  constructor(search: BaseSearch, slow: SlowRequests) {
    this.#search = search
    this.#slow = slow
  }

  async search(caller: Caller, base: string, asked: SearchBase, signal: AbortSignal): Promise<SearchAnswer> {
    const terms = termsOf(asked)
    const found = await this.#slow.run(caller.org, () =>
      this.#search.searchMarked(reachOf(caller), base, { ...terms, signal }),
    )
    const { passages, by, ms, highlights } = found
    return { passages: [...passages], by, ms, highlights: [...highlights] }
  }
}

function termsOf({ query, k = usualPassages, min_score: minScore = 0 }: SearchBase) {
  if (query.trim() === '') throw badRequest('`query` is blank: write what to search for')
  if (query.length > longestQuery)
    throw badRequest(`\`query\` must be at most ${longestQuery} characters (got ${query.length})`)
  if (k < 1 || k > mostPassages) throw badRequest(`\`k\` must be between 1 and ${mostPassages} (got ${k})`)
  if (minScore < 0 || minScore > 1)
    throw badRequest(`\`min_score\` must be between 0 and 1 (got ${minScore})`)
  return { query, k, minScore }
}

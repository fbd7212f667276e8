import type { MissedAsked, MissedQueries } from '@switchroom/contract/knowledge'
import type { Queryable } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { cursorOf, placeIn } from '../../foundation/cursors.ts'
import { notFound, unprocessable } from '../../foundation/refusals.ts'
import { reachOf } from './asked-searches.ts'
import * as store from './missed.store.ts'

const usualLimit = 50
const highestLimit = 100

/** What callers asked and a base had nothing for, as the logs of their calls say. */
export class Missed {
  readonly #database: Queryable

  constructor(database: Queryable) {
    this.#database = database
  }

  async list(caller: Caller, name: string, { after, limit: said }: MissedAsked): Promise<MissedQueries> {
    const limit = limitOf(said)
    const [before] = after === undefined ? [null] : placeIn(after, 'whole')
    const reach = reachOf(caller)
    const base = await store.findBaseId(this.#database, reach, name)
    if (!base) throw notFound(`there is no base ${name}`)
    const rows = await store.listMissed(this.#database, base.id, reach.agents, before, limit + 1)
    const missed = rows.slice(0, limit)
    const last = missed.at(-1)
    return {
      missed: missed.map(({ query, agent, call, seq, best_score, at }) => ({
        query,
        agent,
        call,
        seq,
        best_score,
        at,
      })),
      next: last && rows.length > limit ? cursorOf(last.id) : null,
    }
  }
}

function limitOf(said: string | undefined): number {
  if (said === undefined) return usualLimit
  const limit = Number(said)
  if (!/^\d+$/.test(said) || limit < 1 || limit > highestLimit)
    throw unprocessable(`limit: must be a whole number from 1 to ${highestLimit}`)
  return limit
}

import { callStates } from '@switchroom/contract/log'
import { channels, mostSessions, type SessionPage, type SessionsAsked } from '@switchroom/contract/sessions'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { cursorOf, placeIn } from '../../foundation/cursors.ts'
import { badRequest, unprocessable } from '../../foundation/refusals.ts'
import { codePoints } from '../../foundation/text.ts'
import type { SlowRequests } from '../../http/slow-requests.ts'
import * as store from './sessions.store.ts'

const usualSessions = 50
const longestSearch = 200
/** How many of the newest calls are scanned for each listed one. */
const searchedForOne = 4

/** The calls of an org in one environment, newest first. */
export class Sessions {
  readonly #database: Database
  readonly #searched: Database
  readonly #slow: SlowRequests

  constructor(database: Database, searched: Database, slow: SlowRequests) {
    this.#database = database
    this.#searched = searched
    this.#slow = slow
  }

  async list({ org, env }: Caller, asked: SessionsAsked): Promise<SessionPage> {
    const limit = limitOf(asked.limit)
    const wanted: store.Wanted = {
      org,
      env,
      agent: asked.agent,
      state: itemOf('state', callStates, asked.state),
      channel: itemOf('channel', channels, asked.channel),
      ...(asked.after !== undefined && { before: placeIn(asked.after, 'whole')[0] }),
    }
    const sought = soughtBy(asked.q)
    const find = () => this.#find(wanted, sought, limit + 1)
    const found = sought ? await this.#slow.run(org, find) : await find()
    const page = found.slice(0, limit)
    const last = page.at(-1)
    return { sessions: page, next: last && found.length > limit ? cursorOf(last.ordinal) : null }
  }

  /** Common words are found in the newest calls; only rare words are worth the index. */
  async #find(wanted: store.Wanted, sought: store.Sought | undefined, limit: number) {
    if (!sought) return store.listSessions(this.#database, store.listing(wanted, limit))
    const searched = limit * searchedForOne
    const found = await store.listSessions(
      this.#searched,
      store.searchOfNewest(wanted, sought, limit, searched),
    )
    if (found.length === limit || !(await store.isMoreThan(this.#searched, wanted, searched))) return found
    return store.listSessions(this.#searched, store.searchOfAll(wanted, sought, limit))
  }
}

/** A search may be a number or words; a plus sign in a query arrives as a space. */
function soughtBy(said = ''): store.Sought | undefined {
  const words = said.trim()
  if (words === '') return undefined
  if (codePoints(words).length > longestSearch) throw badRequest(`q is at most ${longestSearch} characters`)
  const [, digits] = /^\+?(\d{1,15})$/.exec(words) ?? []
  return { words, number: digits === undefined ? undefined : `+${digits}` }
}

function itemOf<const Item extends string>(name: string, items: readonly Item[], said: string | undefined) {
  if (said === undefined) return undefined
  const item = items.find((known) => known === said)
  if (!item) throw badRequest(`${name} is one of ${items.join(', ')}`)
  return item
}

function limitOf(said: string | undefined): number {
  if (said === undefined) return usualSessions
  const limit = /^\d{1,4}$/.test(said) ? Number(said) : 0
  if (limit < 1 || limit > mostSessions) throw unprocessable(`limit: must be 1 to ${mostSessions}`)
  return limit
}

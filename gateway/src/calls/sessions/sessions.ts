import { callStates } from '@switchroom/contract/log'
import { channels, mostSessions, type SessionPage, type SessionsAsked } from '@switchroom/contract/sessions'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { cursorOf, placeIn } from '../../foundation/cursors.ts'
import { badRequest, unprocessable } from '../../foundation/refusals.ts'
import { codePoints } from '../../foundation/text.ts'
import type { SlowRequests } from '../../http/slow-requests.ts'
import type { CallSearch, Sought } from './call-search.ts'
import * as store from './sessions.store.ts'

const usualSessions = 50
const longestSearch = 200

export { deriveWords as fillWords } from './search.store.ts'

/** The calls of an org in one environment, newest first. */
export class Sessions {
  readonly #database: Database
  readonly #search: CallSearch
  readonly #slow: SlowRequests

  constructor(database: Database, search: CallSearch, slow: SlowRequests) {
    this.#database = database
    this.#search = search
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
      test: flagOf('test', asked.test),
      reason: asked.reason,
      hasErrors: flagOf('errors', asked.errors),
      from: secondsIn('from', asked.from),
      to: secondsIn('to', asked.to),
      ...(asked.after !== undefined && { before: placeIn(asked.after, 'whole')[0] }),
    }
    const sought = soughtBy(asked.q)
    const find = () => this.#find(wanted, sought, limit + 1)
    const found = sought || isRare(wanted) ? await this.#slow.run(org, find) : await find()
    const page = found.slice(0, limit)
    const last = page.at(-1)
    return { sessions: page, next: last && found.length > limit ? cursorOf(last.ordinal) : null }
  }

  #find(wanted: store.Wanted, sought: Sought | undefined, limit: number) {
    if (sought) return this.#search.find(wanted, sought, limit)
    if (isRare(wanted)) return this.#search.filter(wanted, limit)
    return store.listSessions(this.#database, store.listing(wanted, limit))
  }
}

/** Such calls may be far apart, and no index leads to them. */
const isRare = ({ reason, hasErrors }: store.Wanted) => reason !== undefined || hasErrors === true

/** A search may be a number or words; a plus sign in a query arrives as a space. */
function soughtBy(said = ''): Sought | undefined {
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

function flagOf(name: string, said: string | undefined): boolean {
  if (said === undefined || said === 'false' || said === '0') return false
  if (said === 'true' || said === '1') return true
  throw badRequest(`${name} is true or false`)
}

function secondsIn(name: string, said: string | undefined): number | undefined {
  if (said === undefined) return undefined
  if (!/^\d{1,10}$/.test(said)) throw unprocessable(`${name}: is epoch seconds, as 1767225600`)
  return Number(said)
}

function limitOf(said: string | undefined): number {
  if (said === undefined) return usualSessions
  const limit = /^\d{1,4}$/.test(said) ? Number(said) : 0
  if (limit < 1 || limit > mostSessions) throw unprocessable(`limit: must be 1 to ${mostSessions}`)
  return limit
}

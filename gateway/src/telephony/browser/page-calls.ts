import type { PageCall } from '@switchroom/contract/browser-calls'
import type { Environment } from '@switchroom/contract/scopes'
import type { MediaPlane } from '@switchroom/media/plane'
import { callLog } from '../../calls/log/entries.ts'
import type { Log } from '../../calls/log/log.ts'
import type { Database } from '../../database/database.ts'
import { participantIn, type Caller } from '../../foundation/caller.ts'
import { hourMs, type Clock } from '../../foundation/clock.ts'
import type { IceSettings } from '../../foundation/ice-settings.ts'
import { unauthorized } from '../../foundation/refusals.ts'
import { digestOf } from '../../foundation/secrets.ts'
import type { RateCounts, RateLimit } from '../../http/rate-counts.ts'
import { offersPath } from '../worker-offers/sound-offers.ts'
import { iceServersFor } from './ice-servers.ts'
import * as store from './page-calls.store.ts'

/** Of one call: each is an entry in its log, and the first is enough. */
const hangUps: RateLimit = { name: 'hang-ups of a page', tries: 3, windowMs: hourMs }

export interface PageCallParts {
  database: Database
  clock: Clock
  log: Log
  rateCounts: RateCounts
  planes: { of(env: Environment): MediaPlane }
  baseUrl: string
  ice: IceSettings
}

/** A page's own view of the call it is in; the participant token is what it shows. */
export class PageCalls {
  readonly #parts: PageCallParts

  constructor(parts: PageCallParts) {
    this.#parts = parts
  }

  /** Where the page connects. */
  async about(token: string | undefined): Promise<PageCall> {
    const { call, agent, serverUrl, is_ended } = await this.#found(token)
    if (is_ended) throw opensNoCall()
    const { ice, clock, baseUrl } = this.#parts
    return {
      call,
      agent,
      server_url: serverUrl ?? baseUrl + offersPath,
      ice_servers: serverUrl === null ? iceServersFor(ice, call, clock.now()) : [],
    }
  }

  /** The page as a reader of its call; an ended call is still read for an hour. */
  async participant(token: string | undefined, from: string): Promise<Caller & { call: string }> {
    const found = await this.#found(token)
    return { ...participantIn(found, found.call, from), call: found.call }
  }

  /** The worker hangs up; a call that no worker has answered ends here. Nothing if it has ended. */
  async hangUp(token: string | undefined): Promise<void> {
    const { database, log, rateCounts } = this.#parts
    const { call, is_ended } = await this.#found(token)
    if (is_ended || !(await rateCounts.isAdmitted(hangUps, [call]))) return
    await database.transaction(async (tx) => {
      const held = await log.lock(tx, call)
      const current = await store.findByCall(tx, call)
      if (!held || held.sealed || !current) return
      const entry = current.is_answered
        ? { type: 'hangup.requested', data: {} }
        : { type: 'call.ended', data: { reason: 'hangup' } }
      await log.appendIn(tx, callLog({ ...held, id: call }), [entry])
    })
  }

  async #found(token: string | undefined): Promise<store.Participation & { serverUrl: string | null }> {
    if (token === undefined) throw unauthorized("this door takes a call's participant token")
    const { database } = this.#parts
    const embedded = await store.findByToken(database, digestOf(token))
    if (embedded) return { ...embedded, serverUrl: null }
    const holder = await this.#holderOf(token)
    const found = holder && (await store.findByCall(database, holder.call))
    if (!found) throw opensNoCall()
    return { ...found, serverUrl: holder.url }
  }

  /** Of a media server, if the token is one of its tickets. */
  async #holderOf(token: string): Promise<{ call: string; url: string } | null> {
    const planes = new Set([this.#parts.planes.of('production'), this.#parts.planes.of('sandbox')])
    for (const plane of planes) {
      const holder = await plane.holderOf(token)
      if (holder) return holder
    }
    return null
  }
}

const opensNoCall = () => unauthorized('this token opens no call: it is unknown, used or over')

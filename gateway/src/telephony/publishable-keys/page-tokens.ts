import type { OpenedFromPage, OpenFromPage } from '@switchroom/contract/publishable-keys'
import { newCallId } from '../../calls/records/call-ids.ts'
import type { CallRecords } from '../../calls/records/records.ts'
import { scopeOf } from '../../agents/scope.ts'
import type { Database } from '../../database/database.ts'
import { participantIn, type Caller } from '../../foundation/caller.ts'
import { hourMs, minuteMs } from '../../foundation/clock.ts'
import { badRequest, conflict, forbidden, unauthorized } from '../../foundation/refusals.ts'
import { cutToLine } from '../../foundation/text.ts'
import type { ChatTokens } from '../../http/chat-tokens.ts'
import type { RateCounts } from '../../http/rate-counts.ts'
import type { BrowserCalls } from '../browser/browser-calls.ts'
import { publishablePrefix } from './publishable-keys.ts'
import * as store from './publishable-keys.store.ts'

/** What a page tells is untrusted, and goes into the call's record. */
const mostPageBytes = 2000

/** A request of a page, as far as the gateway believes it. */
export interface PageRequest {
  key: string | undefined
  origin: string | undefined
  /** The visitor's address. */
  from: string
}

export interface PageTokenParts {
  database: Database
  rateCounts: RateCounts
  records: CallRecords
  browserCalls: BrowserCalls
  chatTokens: ChatTokens
}

/** Calls and chats that pages open with a publishable key. */
export class PageTokens {
  readonly #parts: PageTokenParts

  constructor(parts: PageTokenParts) {
    this.#parts = parts
  }

  async open(request: PageRequest, wanted: OpenFromPage): Promise<OpenedFromPage> {
    const key = await this.#judged(request)
    const { agent } = key
    if (wanted.agent !== undefined && wanted.agent !== agent)
      throw forbidden(`this publishable key is for ${agent} alone`)
    const metadata = metadataOf(key, request, wanted)
    await this.#admit(key, request.from)
    const caller = participantIn(key, key.id, request.from)
    if (wanted.channel === 'chat') return this.#openChat(caller, agent, metadata)
    const opened = await this.#parts.browserCalls.open(caller, { agent, metadata })
    return { call: opened.call, agent, token: opened.participant_token }
  }

  async #judged({ key, origin }: PageRequest): Promise<store.PresentedPublishableKey> {
    if (!key?.startsWith(publishablePrefix)) throw unauthorized('this door takes a publishable key')
    const found = await store.findKey(this.#parts.database, key)
    if (!found) throw unauthorized('this key opens nothing')
    if (found.revoked_at !== null)
      throw unauthorized('this publishable key was revoked: put a living one into the page')
    if (origin === undefined)
      throw forbidden('a publishable key works in web pages alone: this request names no origin')
    if (!found.origins.includes(origin))
      throw forbidden(
        `this publishable key is not for pages of ${cutToLine(origin, 'no origin')}: make one whose origins name it`,
      )
    return found
  }

  /** Counted in the database, so that all gateways count together. */
  async #admit({ id, visitor_per_hour, per_minute }: store.PresentedPublishableKey, from: string) {
    const { rateCounts } = this.#parts
    await rateCounts.admit(
      { name: 'publishable key of a visitor', tries: visitor_per_hour, windowMs: hourMs },
      [id, from],
      `this page opens at most ${visitor_per_hour} calls an hour for one visitor: try again later`,
    )
    await rateCounts.admit(
      { name: 'publishable key', tries: per_minute, windowMs: minuteMs },
      [id],
      `this page opens at most ${per_minute} calls a minute: try again in a moment`,
    )
  }

  /** The chat begins when its page connects. */
  async #openChat(caller: Caller, agent: string, metadata: Record<string, unknown>): Promise<OpenedFromPage> {
    const { records, chatTokens } = this.#parts
    const call = newCallId()
    let token = ''
    await records.begin(scopeOf(caller, agent), call, {
      channel: 'chat',
      metadata,
      entries: () => [],
      judge: async ({ declaration }) => {
        if (!declaration) throw conflict(`no app holds ${agent} in ${caller.env}: connect one, and try again`)
      },
      alsoInTransaction: async (tx) => {
        token = await chatTokens.mint(tx, call)
      },
    })
    return { call, agent, token }
  }
}

/** Beside what we know ourselves, so that a visitor cannot pass for what the org's own server says. */
function metadataOf(
  { id }: store.PresentedPublishableKey,
  { origin }: PageRequest,
  { page }: OpenFromPage,
): Record<string, unknown> {
  if (page !== undefined && Buffer.byteLength(JSON.stringify(page)) > mostPageBytes)
    throw badRequest(`page is at most ${mostPageBytes} bytes of JSON: tell the agent less`)
  return { publishable_key: id, origin, ...(page !== undefined && { page }) }
}

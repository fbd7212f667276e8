import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Log } from '../../calls/log/log.ts'
import type { Database } from '../../database/database.ts'
import { later, minuteMs, secondMs, type Clock } from '../../foundation/clock.ts'
import { WireFailure, wireTimeoutMs } from '../../telephony/carriers/carrier-wire.ts'
import type { Content, MessagingPlatform } from '../platform/messaging-platform.ts'
import {
  pauseAfterMs,
  sendFailureOf,
  type PlatformError,
  type SendFailure,
} from '../platform/send-failures.ts'
import type { Route } from './call-outlets.store.ts'
import { logFailure } from './failure-entries.ts'
import * as store from './sends.store.ts'

/** How often to look for a receipt of a send that may have reached the platform. */
const pollEveryMs = secondMs / 2
/** A part that the platform does not take for so long is given up. */
const longestTryingMs = 15 * minuteMs

export interface PartSenderParts {
  database: Database
  clock: Clock
  logger: Logger
  log: Log
  messagingPlatform: MessagingPlatform
  /** The access token: the org's own for this number, else the deployment's. */
  tokenOf: (route: Route) => Promise<string | undefined>
  /** This gateway's name. */
  gateway: string
}

/** A part to send: which, what, and of which of the agent's messages. */
export interface Part {
  key: store.PartKey
  content: Content
  messageId: unknown
  route: Route
}

/**
 * Sends the parts of one call's turns, each until the platform takes or refuses it. The platform has no key against
 * repeats: a part that may have arrived is sent again only if no receipt of it comes for ten seconds.
 */
export class PartSender {
  readonly #parts: PartSenderParts
  readonly #leaving: AbortSignal
  /** Claims the call's sends again, or throws. */
  readonly #claim: () => Promise<unknown>

  constructor(parts: PartSenderParts, leaving: AbortSignal, claim: () => Promise<unknown>) {
    this.#parts = parts
    this.#leaving = leaving
    this.#claim = claim
  }

  /** Returns when the part is sent or refused, or when this gateway stops sending. `known` was attempted before. */
  async send(part: Part, known: store.SendRow | undefined) {
    for (let before = known; await this.#isDue(part.key, before);) {
      const accessToken = await this.#parts.tokenOf(part.route)
      const attempt = await this.#attempt(part.key)
      if (!attempt) return
      const failure = await this.#ask(part, accessToken)
      if (!failure || (await this.#isRefused(part, failure, attempt))) return
      before = await store.findSend(this.#parts.database, part.key)
    }
  }

  /** Waits until the part may be attempted; false if a receipt says that it was sent, or if this gateway stops sending. */
  async #isDue(key: store.PartKey, before: store.SendRow | undefined): Promise<boolean> {
    const { database, clock } = this.#parts
    if (before?.is_settled) return false
    if (!before) return !this.#leaving.aborted
    const mayArriveUntil = Date.parse(before.attempted_at) + wireTimeoutMs
    const until = before.retry_at === null ? mayArriveUntil : Date.parse(before.retry_at)
    while (!this.#leaving.aborted) {
      if ((await store.findSend(database, key))?.is_settled) return false
      const leftMs = until - clock.now().getTime()
      if (leftMs <= 0) return true
      await this.#pause(Math.min(leftMs, pollEveryMs))
    }
    return false
  }

  /** Undefined if it was sent meanwhile. */
  async #attempt(key: store.PartKey): Promise<store.Attempt | undefined> {
    const { database, clock, gateway } = this.#parts
    for (;;) {
      const attempt = await store.beginAttempt(database, key, gateway, clock.now())
      if (attempt) return attempt
      if ((await store.findSend(database, key))?.is_settled) return undefined
      await this.#claim() // this gateway may have released the call and taken it again
    }
  }

  /** Undefined if the platform took it. */
  async #ask(
    { key, content, route: { phone_number_id: phoneNumberId, contact } }: Part,
    accessToken: string | undefined,
  ): Promise<SendFailure | undefined> {
    const { database, clock, messagingPlatform } = this.#parts
    if (accessToken === undefined) return noToken
    try {
      const opaque = opaqueOf(key)
      const id = await messagingPlatform.send({ phoneNumberId, accessToken, contact, content, opaque })
      await this.#insist(() => store.settleSend(database, key, clock.now(), id))
      return undefined
    } catch (error) {
      if (!(error instanceof WireFailure)) throw error
      return sendFailureOf(error)
    }
  }

  /** False if it is to be tried again. */
  async #isRefused(part: Part, failure: SendFailure, attempt: store.Attempt): Promise<boolean> {
    const { database, clock, logger } = this.#parts
    const { error, isPassing, mayHaveArrived } = failure
    const now = clock.now()
    const pauseMs = Math.max(pauseAfterMs(attempt.attempts), mayHaveArrived ? wireTimeoutMs : 0)
    const triedMs = now.getTime() - Date.parse(attempt.first_attempted_at)
    if (isPassing && triedMs + pauseMs <= longestTryingMs) {
      const { attempts } = attempt
      logger.info(
        { call: part.key.call, code: error.code, attempts, pauseMs },
        'a message is sent again later',
      )
      await this.#insist(() => store.retryAt(database, part.key, later(now, pauseMs)))
      return false
    }
    const tried = isPassing
      ? `; it was tried ${attempt.attempts} times in ${Math.round(triedMs / minuteMs)} minutes`
      : ''
    await this.#insist(() => this.#refuse(part, { ...error, detail: error.detail + tried }))
    return true
  }

  async #refuse({ key, messageId }: Part, error: PlatformError) {
    const { database, clock, log } = this.#parts
    await database.transaction(async (tx) => {
      const held = await log.lock(tx, key.call)
      const isRefused = await store.refuseSend(tx, key, clock.now(), error)
      if (held && isRefused) await logFailure(tx, log, held, { code: 'msgapp_not_sent', messageId, error })
    })
  }

  /** The result must be written: a send that is repeated might reach the contact twice. */
  async #insist(work: () => Promise<unknown>) {
    for (;;)
      try {
        await work()
        return
      } catch (error) {
        if (this.#leaving.aborted) throw error
        this.#parts.logger.warn({ err: error }, 'the result of a send is written later')
        await this.#pause(secondMs)
      }
  }

  async #pause(ms: number) {
    await pause(ms, undefined, { signal: this.#leaving, ref: false }).catch(() => {})
  }
}

const noToken: SendFailure = {
  error: {
    code: null,
    detail: 'no access token to send with: add the number’s account, or set SVC_MSGAPP_ACCESS_TOKEN',
  },
  isPassing: false,
  mayHaveArrived: false,
}

/** The name of a part that comes back with its receipts. */
const opaqueOf = ({ call, seq, part }: store.PartKey) => `${call}:${seq}:${part}`

/** Undefined for what was not sent from here. */
export function readOpaque(said: string | null): store.PartKey | undefined {
  const [, call, seq, part] = /^([\w-]{1,128}):(\d{1,9}):(\d{1,4})$/.exec(said ?? '') ?? []
  return call === undefined ? undefined : { call, seq: Number(seq), part: Number(part) }
}

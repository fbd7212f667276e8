import { setTimeout as pause } from 'node:timers/promises'
import type { Entry } from '@switchroom/contract/log'
import type { Logger } from 'pino'
import type { Log } from '../../calls/log/log.ts'
import type { Outlet } from '../../calls/written/outlets.ts'
import type { Database } from '../../database/database.ts'
import { secondMs, type Clock } from '../../foundation/clock.ts'
import { WireFailure, wireTimeoutMs } from '../../telephony/carriers/carrier-wire.ts'
import type { MessagingPlatform } from '../platform/messaging-platform.ts'
import * as store from './call-outlets.store.ts'
import { partsOf } from './message-parts.ts'

/** How often to look for a receipt of a send whose gateway died. */
const pollEveryMs = secondMs / 2
const longestPauseMs = 30 * secondMs

export interface CallOutletParts {
  database: Database
  clock: Clock
  logger: Logger
  log: Log
  messagingPlatform: MessagingPlatform
  /** The access token: the org's own for this number, else the deployment's. */
  tokenOf: (route: store.Route) => Promise<string | undefined>
  /** This gateway's name. */
  gateway: string
}

interface Turn {
  seq: number
  messageId: unknown
  parts: string[]
}

/** Thrown if another gateway sends by now. */
class NotOurs extends Error {}

/**
 * Sends what the agent says in one call to its contact, from the call's log: turn by turn and part by part, each once
 * as far as the platform's receipts show.
 */
export class CallOutlet implements Outlet {
  readonly #call: string
  readonly #parts: CallOutletParts
  readonly #onGone: () => void
  readonly #turns: Turn[] = []
  readonly #leaving = new AbortController()
  #seen = 0
  #route: store.Route | undefined
  /** Parts that were attempted before this gateway sent, by their place. */
  #known = new Map<string, store.SendRow>()
  #working: Promise<void> | undefined
  #isEnded = false
  #left: Promise<void> = Promise.resolve()

  constructor(call: string, parts: CallOutletParts, onGone: () => void) {
    this.#call = call
    this.#parts = parts
    this.#onGone = onGone
  }

  take(entries: readonly Entry[]) {
    for (const { seq, type, data } of entries) {
      if (seq <= this.#seen) continue
      this.#seen = seq
      if (type !== 'agent.message') continue
      const parts = typeof data['text'] === 'string' ? partsOf(data['text']) : []
      if (parts.length > 0) this.#turns.push({ seq, messageId: data['messageId'], parts })
    }
    this.#wake()
  }

  async carried() {
    while (this.#working) await this.#working
  }

  finish() {
    this.#isEnded = true
    this.#wake()
  }

  /** Waits for requests under way, so that no other gateway has to guess whether a message was sent. */
  leave(): Promise<void> {
    if (!this.#isGone) this.#left = this.#leave()
    return this.#left
  }

  async #leave() {
    this.#leaving.abort()
    await this.carried()
    await this.#release()
    this.#onGone()
  }

  get #isGone(): boolean {
    return this.#leaving.signal.aborted
  }

  #wake() {
    if (this.#isGone || (this.#turns.length === 0 && !this.#isEnded)) return
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined
      this.#wake() // for what came meanwhile
    })
  }

  async #work() {
    for (let failures = 0; !this.#isGone;) {
      const [turn] = this.#turns
      if (!turn && !this.#isEnded) return
      try {
        const route = (this.#route ??= await this.#begin())
        if (!turn) return await this.#end()
        await this.#carry(turn, route)
        if (this.#isGone) return
        this.#turns.shift()
        failures = 0
      } catch (error) {
        if (error instanceof NotOurs) return this.#lose()
        failures += 1
        const pauseMs = Math.min(longestPauseMs, secondMs * 2 ** (failures - 1))
        this.#parts.logger.warn({ err: error, call: this.#call, pauseMs }, 'a turn is sent later')
        await this.#pause(pauseMs)
      }
    }
  }

  async #begin(): Promise<store.Route> {
    const { database, gateway } = this.#parts
    const route = await store.claimSending(database, this.#call, gateway)
    if (!route) throw new NotOurs()
    const sends = await store.listSends(database, this.#call)
    this.#known = new Map(sends.map((row) => [placeOf(row), row]))
    return route
  }

  async #end() {
    await store.endSending(this.#parts.database, this.#call, this.#parts.gateway)
    this.#leaving.abort()
    this.#onGone()
  }

  #lose() {
    this.#parts.logger.info({ call: this.#call }, 'another gateway sends the turns of a call')
    this.#leaving.abort()
    this.#onGone()
  }

  async #release() {
    const { database, gateway, logger } = this.#parts
    try {
      await store.releaseSending(database, this.#call, gateway)
    } catch (error) {
      logger.warn({ err: error, call: this.#call }, 'the turns that are left were not released')
    }
  }

  async #carry({ seq, messageId, parts }: Turn, route: store.Route) {
    for (const [part, text] of parts.entries()) {
      const key = { call: this.#call, seq, part }
      if (await this.#isSettled(key)) continue
      if (this.#isGone) return
      await this.#send(key, text, messageId, route)
    }
  }

  /** A receipt may still come for a part whose gateway died while it was sent. */
  async #isSettled(key: store.PartKey): Promise<boolean> {
    const known = this.#known.get(placeOf(key))
    if (!known || known.is_settled) return known !== undefined
    const { database, clock } = this.#parts
    const until = Date.parse(known.attempted_at) + wireTimeoutMs
    while (!this.#isGone) {
      if (await store.isSettled(database, key)) return true
      if (clock.now().getTime() >= until) break
      await this.#pause(pollEveryMs)
    }
    return false
  }

  async #send(key: store.PartKey, text: string, messageId: unknown, route: store.Route) {
    const { database, clock, messagingPlatform, tokenOf } = this.#parts
    const accessToken = await tokenOf(route)
    if (!(await this.#attempt(key))) return
    const refused = (detail: string) => this.#insist(() => this.#refuse(key, messageId, detail))
    if (accessToken === undefined)
      return refused('no access token to send with: add the number’s account, or set SVC_MSGAPP_ACCESS_TOKEN')
    const { phone_number_id: phoneNumberId, contact } = route
    try {
      const opaque = opaqueOf(key)
      const id = await messagingPlatform.send({ phoneNumberId, accessToken, contact, text, opaque })
      await this.#insist(() => store.settleSend(database, key, clock.now(), id))
    } catch (error) {
      if (!(error instanceof WireFailure)) throw error
      await refused(error.message)
    }
  }

  /** False if it was sent meanwhile. */
  async #attempt(key: store.PartKey): Promise<boolean> {
    const { database, clock, gateway } = this.#parts
    while (!(await store.beginAttempt(database, key, gateway, clock.now()))) {
      if (await store.isSettled(database, key)) return false
      await this.#begin() // this gateway may have released the call and taken it again
    }
    this.#known.delete(placeOf(key))
    return true
  }

  /** The log of a call that has ended takes no more. */
  async #refuse(key: store.PartKey, messageId: unknown, detail: string) {
    const { database, clock, log, logger } = this.#parts
    await database.transaction(async (tx) => {
      const held = await log.lock(tx, key.call)
      await store.settleSend(tx, key, clock.now(), null)
      if (held?.sealed === false) {
        const data = { code: 'msgapp_not_sent', messageId, detail }
        await log.appendIn(tx, held, [{ type: 'error', data }])
      } else logger.warn({ call: key.call, detail }, 'the last turn of a call was not sent')
    })
  }

  /** The result must be written: a send that is repeated might reach the contact twice. */
  async #insist(work: () => Promise<unknown>) {
    for (;;)
      try {
        await work()
        return
      } catch (error) {
        if (this.#isGone) throw error
        this.#parts.logger.warn({ err: error, call: this.#call }, 'the result of a send is written later')
        await this.#pause(secondMs)
      }
  }

  async #pause(ms: number) {
    await pause(ms, undefined, { signal: this.#leaving.signal, ref: false }).catch(() => {})
  }
}

const placeOf = ({ seq, part }: { seq: number; part: number }) => `${seq}:${part}`

/** The name of a part that comes back with its receipts. */
const opaqueOf = ({ call, seq, part }: store.PartKey) => `${call}:${seq}:${part}`

/** Undefined for what was not sent from here. */
export function readOpaque(said: string | null): store.PartKey | undefined {
  const [, call, seq, part] = /^([\w-]{1,128}):(\d{1,9}):(\d{1,4})$/.exec(said ?? '') ?? []
  return call === undefined ? undefined : { call, seq: Number(seq), part: Number(part) }
}

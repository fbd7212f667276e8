import { setTimeout as pause } from 'node:timers/promises'
import type { Entry } from '@switchroom/contract/log'
import type { Outlet } from '../../calls/written/outlets.ts'
import { secondMs } from '../../foundation/clock.ts'
import type { Content } from '../platform/messaging-platform.ts'
import type { ReadReceipts } from '../platform/read-receipts.ts'
import * as store from './call-outlets.store.ts'
import { contentsOf } from './message-parts.ts'
import { PartSender, type PartSenderParts } from './part-sender.ts'
import { listSends, type SendRow } from './sends.store.ts'

/** How often to look whether an older call of the contact has sent its last. */
const pollEveryMs = secondMs / 2
const longestPauseMs = 30 * secondMs
const typingEveryMs = 20 * secondMs

export interface CallOutletParts extends PartSenderParts {
  readReceipts: ReadReceipts
}

interface Turn {
  seq: number
  messageId: unknown
  contents: Content[]
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
  readonly #sender: PartSender
  readonly #onGone: () => void
  readonly #turns: Turn[] = []
  readonly #leaving = new AbortController()
  #seen = 0
  #route: store.Route | undefined
  /** Parts that were attempted before this gateway sent, by their place. */
  #known = new Map<string, SendRow>()
  #working: Promise<void> | undefined
  #isEnded = false
  #left: Promise<void> = Promise.resolve()

  constructor(call: string, parts: CallOutletParts, onGone: () => void) {
    this.#call = call
    this.#parts = parts
    this.#sender = new PartSender(parts, this.#leaving.signal, () => this.#begin())
    this.#onGone = onGone
  }

  take(entries: readonly Entry[]) {
    for (const { seq, type, data } of entries) {
      if (seq <= this.#seen) continue
      this.#seen = seq
      if (type !== 'agent.message') continue
      const contents = contentsOf(data)
      if (contents.length > 0) this.#turns.push({ seq, messageId: data['messageId'], contents })
    }
    this.#wake()
  }

  /** The platform hides the sign after 25 seconds, so it is shown again while the agent works. */
  answering({ data: { messageId } }: Entry): () => void {
    if (typeof messageId !== 'string') return () => {}
    const show = () => void this.#showTyping(messageId)
    show()
    const timer = setInterval(show, typingEveryMs).unref()
    return () => clearInterval(timer)
  }

  async #showTyping(messageId: string) {
    const { database, readReceipts, logger } = this.#parts
    try {
      const route = this.#route ?? (await store.findRoute(database, this.#call))
      if (!route || this.#isGone) return
      const { org, phone_number_id: phoneNumberId } = route
      await readReceipts.typing({ org, phoneNumberId, messageId })
    } catch (error) {
      logger.info({ err: error, call: this.#call }, 'a contact was not shown that an answer is being written')
    }
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
    const sends = await listSends(database, this.#call)
    this.#known = new Map(sends.map((row) => [placeOf(row), row]))
    while (!this.#isGone && (await store.isBehindOlder(database, this.#call))) await this.#pause(pollEveryMs)
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

  async #carry({ seq, messageId, contents }: Turn, route: store.Route) {
    for (const [part, content] of contents.entries()) {
      if (this.#isGone) return
      const key = { call: this.#call, seq, part }
      await this.#sender.send({ key, content, messageId, route }, this.#known.get(placeOf(key)))
    }
  }

  async #pause(ms: number) {
    await pause(ms, undefined, { signal: this.#leaving.signal, ref: false }).catch(() => {})
  }
}

const placeOf = ({ seq, part }: { seq: number; part: number }) => `${seq}:${part}`

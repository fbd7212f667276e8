import type { AnsweredSound, OfferSound } from '@switchroom/contract/browser-calls'
import type { AnswerOffer, BrowserOffer, Reconnect } from '@switchroom/contract/media-plane'
import { callLog } from '../../calls/log/entries.ts'
import type { Log } from '../../calls/log/log.ts'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { later, secondMs, type Clock } from '../../foundation/clock.ts'
import {
  badRequest,
  conflict,
  notFound,
  tooMany,
  unauthorized,
  unavailable,
} from '../../foundation/refusals.ts'
import { digestOf } from '../../foundation/secrets.ts'
import type { WorkerNotifier } from './worker-notifier.ts'
import * as store from './sound-offers.store.ts'

/** Where browsers bring their offers when no media server takes them. */
export const offersPath = '/v1/rtc'

/** How long a browser waits for a worker's answer. */
const answeredWithinMs = 10 * secondMs
/** Of one call: each is an entry in its log. */
const mostReconnects = 200
/** How often a waiting request looks at the clock. */
const pollEveryMs = secondMs

export interface SoundOfferParts {
  database: Database
  clock: Clock
  notifier: WorkerNotifier
  log: Log
}

/** Browsers that offer their microphones, and the workers that answer them. */
export class SoundOffers {
  readonly #parts: SoundOfferParts

  constructor(parts: SoundOfferParts) {
    this.#parts = parts
  }

  /** An answer uses the token up, but for the call that it opened; without one the browser may try again while the token lives. */
  async connect(token: string | undefined, { sdp }: OfferSound, gone: AbortSignal): Promise<AnsweredSound> {
    const { database, clock, notifier } = this.#parts
    if (token === undefined) throw unauthorized("this door takes a call's participant token")
    if (!sdp.startsWith('v=0')) throw badRequest('sdp is what a browser offers: it begins with v=0')
    const digest = digestOf(token)
    const first = await store.offerSound(database, digest, sdp, clock.now())
    if (first) notifier.offered(first.env)
    const offered = first ?? (await this.#offerAgain(digest, sdp))
    if (!offered) throw unauthorized('this token opens no call: it is unknown, used or over')
    const { call } = offered
    const state = await this.#wait(call, gone)
    const isWithdrawn = !state?.answer && (await store.withdrawOffer(database, call))
    if (isWithdrawn) throw unavailable(state?.refused ?? 'no worker is free: try again in a moment', 5)
    const answer = state?.answer ?? (await store.readOffer(database, call))?.answer
    if (!answer) throw new Error('an offer that cannot be withdrawn was answered')
    return { call, sdp: answer }
  }

  /** The browser of a running call comes by another way: its worker learns of it by the log. */
  async #offerAgain(digest: Buffer, sdp: string): Promise<{ call: string } | undefined> {
    const { database, log } = this.#parts
    const running = await store.findRunning(database, digest)
    if (!running) return undefined
    if (running.reconnects >= mostReconnects)
      throw tooMany(`this call has reconnected ${mostReconnects} times: open another`)
    return database.transaction(async (tx) => {
      const held = await log.lock(tx, running.call)
      if (!held || held.sealed) return undefined
      await store.offerAgain(tx, running.call, sdp)
      await log.appendIn(tx, callLog({ ...held, id: running.call }), [
        { type: 'reconnect.requested', data: {} },
      ])
      return running
    })
  }

  /** What the browser of a running call offers anew, for the worker that runs it. */
  async reconnecting({ org, env }: Caller, call: string, worker: string): Promise<Reconnect> {
    const offered = await store.readReconnect(this.#parts.database, { call, org, env, worker })
    if (!offered) throw notFound(`the browser of the call ${call} does not reconnect`)
    return offered
  }

  /** A browser's call for this worker to answer: of its own org, or for the platform's workers of any. */
  takeNext({ env, org, kind }: Caller, worker: string): Promise<BrowserOffer | undefined> {
    const { database, clock } = this.#parts
    const since = later(clock.now(), -answeredWithinMs)
    return store.takeOffer(database, env, kind === 'fleet' ? '' : org, since, worker)
  }

  async giveBack(call: string, worker: string) {
    const given = await store.giveBackOffer(this.#parts.database, call, worker)
    if (given) this.#parts.notifier.offered(given.env)
  }

  /** Once, by the worker that took it. */
  async answer({ org, env }: Caller, call: string, told: AnswerOffer): Promise<void> {
    const { database, clock, notifier } = this.#parts
    const { worker, sdp, refused, reconnect } = told
    if ((sdp === undefined) === (refused === undefined))
      throw badRequest('answer with an sdp or with why it is refused, one of them')
    const answered = { ...(sdp !== undefined && { sdp }), ...(refused !== undefined && { refused }) }
    if (await store.answerOffer(database, { call, org, env, worker, reconnect }, answered, clock.now()))
      return notifier.moved(call)
    const state = await store.readOfferOf(database, call, org, env)
    if (!state) throw notFound(`no browser opened the call ${call}`)
    const isRepeated = state.worker === worker && sdp !== undefined && state.answer === sdp
    if (!isRepeated)
      throw conflict(`the call ${call} is not yours to answer: the browser does not wait for you`)
  }

  /** The offer once there is an answer, the time is over, or the signal came. */
  async #wait(call: string, gone: AbortSignal): Promise<store.SoundOfferState | undefined> {
    const { database, clock, notifier } = this.#parts
    const until = later(clock.now(), answeredWithinMs)
    for (;;) {
      const woken = notifier.forCalls.next(call)
      const state = await store.readOffer(database, call)
      if (!state || state.answer !== null || state.refused !== null) return state
      if (gone.aborted || clock.now() >= until) return state
      await woken.within(pollEveryMs, gone)
    }
  }
}

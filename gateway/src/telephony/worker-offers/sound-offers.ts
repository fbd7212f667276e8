import type { AnsweredSound, OfferSound } from '@switchroom/contract/browser-calls'
import type { AnswerOffer, BrowserOffer } from '@switchroom/contract/media-plane'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { later, secondMs, type Clock } from '../../foundation/clock.ts'
import { badRequest, conflict, notFound, unauthorized, unavailable } from '../../foundation/refusals.ts'
import { digestOf } from '../../foundation/secrets.ts'
import type { WorkerNotifier } from './worker-notifier.ts'
import * as store from './sound-offers.store.ts'

/** How long a browser waits for a worker's answer. */
const answeredWithinMs = 10 * secondMs
/** How often one who waits looks at the clock. */
const pollEveryMs = secondMs

export interface SoundOfferParts {
  database: Database
  clock: Clock
  bell: WorkerNotifier
}

/** Browsers that offer their microphones, and the workers that answer them. */
export class SoundOffers {
  readonly #parts: SoundOfferParts

  constructor(parts: SoundOfferParts) {
    this.#parts = parts
  }

  /** An answer uses the token up; without one the browser may try again while the token lives. */
  async connect(token: string | undefined, { sdp }: OfferSound, gone: AbortSignal): Promise<AnsweredSound> {
    const { database, clock } = this.#parts
    if (token === undefined) throw unauthorized("this door takes a call's participant token")
    if (!sdp.startsWith('v=0')) throw badRequest('sdp is what a browser offers: it begins with v=0')
    const offered = await store.offerSound(database, digestOf(token), sdp, clock.now())
    if (!offered) throw unauthorized('this token opens no call: it is unknown, used or over')
    const { call } = offered
    const standing = await this.#wait(call, gone)
    const isWithdrawn = !standing?.answer && (await store.withdrawOffer(database, call))
    if (isWithdrawn) throw unavailable(standing?.refused ?? 'no worker is free: try again in a moment', 5)
    const answer = standing?.answer ?? (await store.readStanding(database, call))?.answer
    if (!answer) throw new Error('an offer that cannot be withdrawn was answered')
    return { call, sdp: answer }
  }

  /** A browser's call for this worker to answer: of its own org, or for the platform's workers of any. */
  takeNext({ env, org, kind }: Caller, worker: string): Promise<BrowserOffer | undefined> {
    const { database, clock } = this.#parts
    const since = later(clock.now(), -answeredWithinMs)
    return store.takeOffer(database, env, kind === 'fleet' ? '' : org, since, worker)
  }

  async giveBack(call: string, worker: string) {
    await store.giveBackOffer(this.#parts.database, call, worker)
  }

  /** Once, by the worker that took it. */
  async answer({ org, env }: Caller, call: string, told: AnswerOffer): Promise<void> {
    const { database } = this.#parts
    const { worker, sdp, refused } = told
    if ((sdp === undefined) === (refused === undefined))
      throw badRequest('answer with an sdp or with why it is refused, one of them')
    const answered = { ...(sdp !== undefined && { sdp }), ...(refused !== undefined && { refused }) }
    if (await store.answerOffer(database, { call, org, env, worker }, answered)) return
    const standing = await store.readStandingOf(database, call, org, env)
    if (!standing) throw notFound(`no browser opened the call ${call}`)
    const isRepeated = standing.worker === worker && sdp !== undefined && standing.answer === sdp
    if (!isRepeated) throw conflict(`the call ${call} is not yours to answer: nobody waits for it`)
  }

  /** How it stands once there is an answer, the time is over, or the signal came. */
  async #wait(call: string, gone: AbortSignal): Promise<store.SoundStanding | undefined> {
    const { database, clock, bell } = this.#parts
    const until = later(clock.now(), answeredWithinMs)
    for (;;) {
      const woken = bell.forCalls.next(call)
      const standing = await store.readStanding(database, call)
      if (!standing || standing.answer !== null || standing.refused !== null) return standing
      if (gone.aborted || clock.now() >= until) return standing
      await woken.within(pollEveryMs, gone)
    }
  }
}

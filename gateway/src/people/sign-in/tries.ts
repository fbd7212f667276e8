import type { FastifyRequest } from 'fastify'
import { minuteMs } from '../../foundation/clock.ts'
import type { RateCounts, RateLimit } from '../../http/rate-counts.ts'

/** One count per address and client place over every endpoint at which somebody could guess. */
export const signInTries: RateLimit = { name: 'sign-in', tries: 5, windowMs: minuteMs }

export const tooManyTries = (address: string) => `too many attempts for ${address}: try again in a minute`

/** A terminal that is being paired asks every second, so polls have a count of their own: ten terminals a place. */
const pollsForEachTry = 20

/** One count per client place over every endpoint that strangers reach, whatever address they name. */
export class PlaceTries {
  readonly #rateCounts: RateCounts
  readonly #tries: RateLimit
  readonly #polls: RateLimit

  constructor(rateCounts: RateCounts, triesAMinute: number) {
    this.#rateCounts = rateCounts
    this.#tries = { name: 'sign-in place', tries: triesAMinute, windowMs: minuteMs }
    this.#polls = { name: 'pairing polls', tries: pollsForEachTry * triesAMinute, windowMs: minuteMs }
  }

  /** For a route: what is refused for its shape is not counted. */
  readonly countTry = async ({ place, signUpPlace }: FastifyRequest) => {
    const from = signUpPlace || place
    await this.#rateCounts.admit(this.#tries, [from], tooManyFrom(from))
  }

  readonly countPoll = async ({ place }: FastifyRequest) => {
    await this.#rateCounts.admit(this.#polls, [place], tooManyFrom(place))
  }
}

const tooManyFrom = (place: string) => `too many attempts from ${place}: try again in a minute`

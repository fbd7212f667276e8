import type { FastifyRequest } from 'fastify'
import { minuteMs } from '../../foundation/clock.ts'
import type { RateCounts, RateLimit } from '../../http/rate-counts.ts'

/** One count per address and client address over every endpoint that takes a guess. */
export const signInTries: RateLimit = { name: 'sign-in', tries: 5, windowMs: minuteMs }

export const tooManyTries = (address: string) => `too many attempts for ${address}: try again in a minute`

/** A terminal polls every second while it pairs, so polls have their own count: ten terminals for each client address. */
const pollsForEachTry = 20

/** One count per client address over every public endpoint, whatever address is named. */
export class PlaceTries {
  readonly #rateCounts: RateCounts
  readonly #tries: RateLimit
  readonly #polls: RateLimit

  constructor(rateCounts: RateCounts, triesAMinute: number) {
    this.#rateCounts = rateCounts
    this.#tries = { name: 'sign-in place', tries: triesAMinute, windowMs: minuteMs }
    this.#polls = { name: 'pairing polls', tries: pollsForEachTry * triesAMinute, windowMs: minuteMs }
  }

  /** For a route: a request that fails its schema is not counted. */
  readonly countTry = async ({ clientAddress, signUpAddress }: FastifyRequest) => {
    const from = signUpAddress || clientAddress
    await this.#rateCounts.admit(this.#tries, [from], tooManyFrom(from))
  }

  readonly countPoll = async ({ clientAddress }: FastifyRequest) => {
    await this.#rateCounts.admit(this.#polls, [clientAddress], tooManyFrom(clientAddress))
  }
}

const tooManyFrom = (clientAddress: string) =>
  `too many attempts from ${clientAddress}: try again in a minute`

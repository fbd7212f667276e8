import { minuteMs } from '../../foundation/clock.ts'
import type { RateLimit } from '../../http/rate-counts.ts'

/** One count per address and client place over every endpoint at which somebody could guess. */
export const signInTries: RateLimit = { name: 'sign-in', tries: 5, windowMs: minuteMs }

export const tooManyTries = (address: string) => `too many attempts for ${address}: try again in a minute`

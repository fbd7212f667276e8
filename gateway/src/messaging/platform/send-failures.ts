import { secondMs } from '../../foundation/clock.ts'
import type { WireFailure } from '../../telephony/carriers/carrier-wire.ts'

/** Why the platform did not send or deliver a message, in its own words. */
export interface PlatformError {
  /** The platform's number for it, such as 131047; null if it gave none. */
  code: number | null
  detail: string
}

/** The platform's codes for too many requests: of the app, the account, the number, and to one contact. */
const busyCodes = new Set([4, 80007, 130429, 131056])
/** The code for a free-form message more than 24 hours after the contact wrote. */
export const outsideWindow = 131047
const tooManyRequests = 429
const timedOut = 408
const longestPauseMs = 60 * secondMs

/** What to do after a send that failed. */
export interface SendFailure {
  error: PlatformError
  /** Whether the same message may be taken later. */
  isPassing: boolean
  /** Whether the platform may have taken it all the same: a receipt of it may follow. */
  mayHaveArrived: boolean
}

export function sendFailureOf(failure: WireFailure): SendFailure {
  const { answered, said } = failure
  const code = codeIn(said)
  const isBusy = answered === tooManyRequests || (code !== null && busyCodes.has(code))
  const mayHaveArrived = answered === undefined || answered === timedOut || answered >= 500 || answered < 300
  const error = { code, detail: withAdvice(code, failure.message) }
  return { error, isPassing: isBusy || mayHaveArrived, mayHaveArrived: mayHaveArrived && !isBusy }
}

/** What to do about it, if the platform's own words do not say so. */
export const withAdvice = (code: number | null, detail: string) =>
  code === outsideWindow ? `${detail}; send an approved template instead` : detail

/** Doubles from one second to a minute. */
export const pauseAfterMs = (attempts: number) =>
  Math.min(longestPauseMs, secondMs * 2 ** Math.min(attempts - 1, 10))

/** The sentence in the body of a refusal: with its code in front, and the platform's explanation if it has one. */
export function sentenceIn(body: unknown): string | undefined {
  const { message, code, error_data } = (body as { error?: GraphError } | undefined)?.error ?? {}
  if (typeof message !== 'string') return undefined
  const { details } = error_data ?? {}
  const isNumbered = typeof code !== 'number' || code < 1000 || message.includes(`(#${code})`)
  const sentence = isNumbered ? message : `(#${code}) ${message}`
  return typeof details === 'string' && details !== '' ? `${sentence}: ${details}` : sentence
}

interface GraphError {
  message?: unknown
  code?: unknown
  error_data?: { details?: unknown }
}

function codeIn(said: string | undefined): number | null {
  const [, digits] = /^\(#(\d{1,9})\)/.exec(said ?? '') ?? []
  return digits === undefined ? null : Number(digits)
}

import { isCarriersFault } from '../carrier-faults.ts'
import { wordsOfConnecting } from '../failure-words.ts'
import { MediaError } from '../plane.ts'
import { SipRefused, SipUnanswered } from './calls.ts'
import type { Target } from './flow.ts'
import type { SipResponse } from './message.ts'

/** Why one address led to no call. */
export interface Failure {
  response: SipResponse | null
  refusal: MediaError
}

export const failure = (refusal: MediaError, response: SipResponse | null = null): Failure => ({
  response,
  refusal,
})

export function asFailure(error: unknown): Failure {
  if (error instanceof MediaError) return failure(error)
  throw error
}

/** Whether it is the person's answer, and no other address would have another. */
export const isMeant = ({ status }: SipResponse): boolean => status === 486 || status >= 600

export function unreached({ name }: Target, error: unknown): SipUnanswered {
  const sentence = error instanceof MediaError ? error.message : wordsOfConnecting(name, error)
  return new SipUnanswered(503, 'No Connection', sentence)
}

/** A connection was made, and ended before anything was answered. */
export function hungUp(target: Target, why: unknown): SipUnanswered {
  if (why !== null) return unreached(target, why)
  const perhaps = target.tls?.cert ? ': it may not accept the client certificate of the account' : ''
  return unreached(target, new MediaError(`${target.name} closed the connection without an answer${perhaps}`))
}

/** Whether another carrier may put the call through: nobody was reached, and this one did not say why nobody can be. */
export function mayAnotherCarry(error: unknown): boolean {
  if (!(error instanceof MediaError)) return false
  if (!(error instanceof SipRefused)) return true
  if (error.hasRung || error.status === 487) return false
  return error instanceof SipUnanswered || error.status === 408 || isCarriersFault(error.status)
}

import type { TellPlacement } from '@switchroom/contract/media-plane'
import { plainLine } from '@switchroom/media/failure-words'
import { MediaError, outcomeOfSip } from '@switchroom/media/plane'
import { SipRefused, SipUnanswered } from '@switchroom/media/sip/server'

export const ringForMs = 60_000
const mostReason = 200
const mostWhy = 500

/** What the worker reports to the gateway about a dial that failed, in words that people read in the log and the ledger. */
export function failureOf(error: unknown, signal: AbortSignal): Omit<TellPlacement, 'worker'> {
  if (signal.aborted) return { outcome: 'no_answer', why: `no answer within ${ringForMs / 1000} s` }
  const why = sentenceOf(error)
  if (error instanceof SipUnanswered) return { outcome: outcomeOfSip(error.status), why }
  if (isAnswer(error))
    return { sip_status: error.status, sip_reason: plainLine(error.reason, mostReason), why }
  return { outcome: 'dial_failed', why }
}

export const sentenceOf = (error: unknown): string =>
  error instanceof MediaError ? plainLine(error.message, mostWhy) : 'the worker could not dial'

/** The carrier's own final answer; null if it gave none. */
export const statusOf = (error: unknown): number | null =>
  isAnswer(error) && !(error instanceof SipUnanswered) ? error.status : null

const isAnswer = (error: unknown): error is SipRefused =>
  error instanceof SipRefused && error.status >= 300 && error.status < 700

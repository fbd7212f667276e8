import type { VoiceRefusal } from '@switchroom/contract/voice-server'
import { VendorFailure } from '@switchroom/kit/failures'

/** A refusal that the caller may read: a status, a code a program acts on, and one sentence for a person. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, code: string, sentence: string, headers: Record<string, string> = {}) {
    super(sentence)
    this.status = status
    this.code = code
    this.headers = headers
  }
}

export const badRequest = (sentence: string) => new Refusal(400, 'BAD_REQUEST', sentence)

/** The gateway's refusal. */
export function refusalOf({ status, code, error, retry_after_s }: VoiceRefusal): Refusal {
  const retry = retry_after_s === undefined ? {} : { 'retry-after': String(retry_after_s) }
  const challenge = status === 401 ? { 'www-authenticate': 'Bearer' } : {}
  return new Refusal(status, code, error, { ...retry, ...challenge })
}

/** A vendor's failure as a refusal that quotes it; any other error unchanged. */
export function upstreamError(vendor: string, error: unknown): unknown {
  if (!(error instanceof VendorFailure)) return error
  const did = error.kind === 'refused' ? 'refused' : 'did not answer'
  return new Refusal(502, 'UPSTREAM_ERROR', `${vendor} ${did}: ${error.message}`)
}

import type { VoiceCode, VoiceRefusal } from '@switchroom/contract/voice-server'
import { Refusal } from '../../foundation/refusals.ts'

const coded = (status: number, code: VoiceCode) => (sentence: string) =>
  new Refusal(status, sentence, {}, code)

export const badModel = coded(400, 'BAD_MODEL')
export const badVoice = coded(400, 'BAD_VOICE')
export const formatUnsupported = coded(400, 'FORMAT_UNSUPPORTED')
export const diarizeUnsupported = coded(400, 'DIARIZE_UNSUPPORTED')
export const invalidKey = coded(401, 'INVALID_KEY')
const subscription = coded(402, 'SUBSCRIPTION_REQUIRED')
export const insufficientCredits = coded(402, 'INSUFFICIENT_CREDITS')

export const subscriptionRequired = () =>
  subscription('this org has no subscription: ask the operator for one')

export const noCreditsLeft = () =>
  insufficientCredits(
    "this runs on the platform's key, for which the org has no credits left: ask the operator for more, or bring a key of your own",
  )

const codes: Record<number, VoiceCode> = { 401: 'INVALID_KEY', 429: 'RATE_LIMITED' }

/** A refusal as a voice server passes it on; rethrows anything else. */
export function told(thrown: unknown): VoiceRefusal {
  if (!(thrown instanceof Refusal)) throw thrown
  const { status, code, message: error, headers } = thrown
  const retryAfter = headers['retry-after']
  return {
    status,
    code: (code as VoiceCode | undefined) ?? codes[status] ?? 'BAD_REQUEST',
    error,
    ...(retryAfter !== undefined && { retry_after_s: Number(retryAfter) }),
  }
}

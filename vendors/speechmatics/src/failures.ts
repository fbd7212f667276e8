import { refused, silent, VendorFailure } from '@switchroom/kit/failures'
import { brokenOff } from '@switchroom/kit/live-transcription'

/** Its own trouble, or the end of a session that lasted too long: another session may be better. */
const ownFaults = new Set(['job_error', 'unknown_error', 'internal_error', 'idle_timeout', 'session_timeout'])
/** It asks to be left alone for so long when all sessions of an account are in use. */
const fullWaitMs = 5_000
const closeTypes: Record<number, string> = {
  1003: 'protocol_error',
  1008: 'policy_violation',
  4001: 'not_authorised',
  4003: 'not_allowed',
  4004: 'invalid_model',
  4005: 'quota_exceeded',
  4006: 'timelimit_exceeded',
  4013: 'job_error',
}

/** What an error message on the socket means. */
export function failureOf(type: string | undefined, words: string): VendorFailure {
  if (type === 'quota_exceeded') return new VendorFailure('silent', words, fullWaitMs)
  return type === undefined || ownFaults.has(type) ? silent(words) : refused(words)
}

/** What a close means before the transcript is complete. */
export function closeFailure(closing: { code: number; reason: string }): VendorFailure {
  return failureOf(closeTypes[closing.code], closing.reason || brokenOff(closing))
}

import { SipCallError, TwirpError } from 'livekit-server-sdk'
import { outcomeOfSip, type PlacingOutcome } from '../plane.ts'

/** Why a call was not answered, from the failure of its dial. */
export function outcomeOfDial(error: unknown): PlacingOutcome {
  if (error instanceof SipCallError && error.sipStatusCode !== undefined)
    return outcomeOfSip(error.sipStatusCode)
  // The end of the ring is told without a SIP status.
  if (error instanceof TwirpError && error.code === 'canceled') return 'no_answer'
  return 'dial_failed'
}

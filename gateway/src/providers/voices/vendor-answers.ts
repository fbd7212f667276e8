import { VendorFailure } from '@switchroom/kit/failures'
import { badGateway } from '../../foundation/refusals.ts'

/** A vendor that refuses or does not answer, in its own words; anything else stays what it is. */
export function unansweredBy(vendor: string, error: unknown): unknown {
  if (!(error instanceof VendorFailure)) return error
  return badGateway(
    error.kind === 'refused'
      ? `${vendor} refused: ${error.message}`
      : `${vendor} did not answer: ${error.message}`,
  )
}

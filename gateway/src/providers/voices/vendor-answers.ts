import { VendorFailure } from '@switchroom/kit/failures'
import { badGateway } from '../../foundation/refusals.ts'

/** Turns a vendor's failure into a refusal in the vendor's words; rethrows anything else. */
export function unansweredBy(vendor: string, error: unknown): unknown {
  if (!(error instanceof VendorFailure)) return error
  return badGateway(
    error.kind === 'refused'
      ? `${vendor} refused: ${error.message}`
      : `${vendor} did not answer: ${error.message}`,
  )
}

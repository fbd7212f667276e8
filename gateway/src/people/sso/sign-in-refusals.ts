import { badRequest } from '../../foundation/refusals.ts'

/** The cause goes to the log only. */
export const refusedBecause = (sentence: string, cause: unknown) =>
  Object.assign(badRequest(sentence), { cause })

export const didNotAnswer = (cause: unknown) => refusedBecause('the provider did not answer', cause)
export const didNotCheckOut = (cause: unknown) =>
  refusedBecause("the provider's word did not check out", cause)

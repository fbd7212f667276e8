/** What a carrier says of itself, of the account or of the request, and not of the person called. */
const ofCarrier: ReadonlySet<number> = new Set([
  400, 401, 402, 403, 405, 406, 407, 413, 415, 416, 420, 421, 482, 483, 488, 493, 494,
])

/** Whether a final answer leaves open that another carrier puts the call through, if the phone has not rung. */
export const isCarriersFault = (status: number): boolean =>
  ofCarrier.has(status) || (status >= 500 && status < 600)

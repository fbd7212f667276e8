import { createHash } from 'node:crypto'

/** A call's place among a hundred, 0 to 99: the same for one call id on every machine and for ever. */
const placeOf = (call: string) => Number(createHash('sha256').update(call).digest().readBigUInt64BE() % 100n)

/** Whether a call is one of those in a hundred that a canary's version runs on. */
export const isPicked = (call: string, share: number) => placeOf(call) < share
